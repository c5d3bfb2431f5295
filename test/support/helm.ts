import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goEnvironment } from '../../src/simulator/control-plane/build.ts';
import { type Finished, runProgram } from '../../src/simulator/control-plane/run.ts';
import { makeCached } from './cached.ts';

const moduleFolder = fileURLToPath(new URL('../helm/', import.meta.url));

/** Helm from its Go module in test/helm, built into the cache beside the control plane; or the one that `HELM` names. */
export async function findHelm(): Promise<string> {
  const given = process.env['HELM'];
  if (given !== undefined && given !== '') return given;
  const sources = ['go.mod', 'go.sum', 'main.go'].map((name) => join(moduleFolder, name));
  return makeCached({ name: 'helm', sources, make: build });
}

async function build(program: string): Promise<void> {
  const args = ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', '-s -w', '-o', program, '.'];
  const { code, stderr } = await runProgram('go', args, { cwd: moduleFolder, env: goEnvironment() });
  if (code !== 0) throw new Error(`go build of Helm in ${moduleFolder} failed: ${stderr.slice(-2000)}`);
}

/** Runs Helm on releases in the namespace kube-system. @returns its output and exit status */
export async function runHelm(...args: readonly string[]): Promise<Finished> {
  // Nothing from the user's own Helm: neither repositories nor plugins.
  const env = { ...process.env, HELM_CONFIG_HOME: '/nonexistent', HELM_DATA_HOME: '/nonexistent' };
  return runProgram(await findHelm(), [...args, '--namespace', 'kube-system'], { env });
}

/** Renders the chart. @returns Helm's output and exit status */
export async function renderChart(...args: readonly string[]): Promise<Finished> {
  return runHelm('template', 'gpu-partition', 'charts/gpu-partition', ...args);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await findHelm()}\n`);
