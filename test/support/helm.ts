import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from '../../src/simulator/control-plane/cache.ts';
import { goEnvironment } from '../../src/simulator/control-plane/go-toolchain.ts';
import { takeLock } from '../../src/simulator/control-plane/lock.ts';
import { type Finished, runProgram } from '../../src/simulator/control-plane/run.ts';

const moduleFolder = fileURLToPath(new URL('../helm/', import.meta.url));

/** Helm from its Go module in test/helm, built into the cache beside the control plane; or the one that `HELM` names. */
export async function findHelm(): Promise<string> {
  const given = process.env['HELM'];
  if (given !== undefined && given !== '') return given;
  const sources = await Promise.all(['go.mod', 'go.sum', 'main.go'].map((name) => readFile(join(moduleFolder, name))));
  const hash = sources
    .reduce((sum, text) => sum.update(text), createHash('sha256'))
    .digest('hex')
    .slice(0, 16);
  const root = join(cacheRoot(), '..', 'helm');
  const program = join(root, `helm-${hash}-${process.platform}-${process.arch}`);
  await mkdir(root, { recursive: true });
  await using _lock = await takeLock(`${program}.lock`);
  if (await isThere(program)) return program;
  const args = [
    'build',
    '-mod=readonly',
    '-buildvcs=false',
    '-trimpath',
    '-ldflags',
    '-s -w',
    '-o',
    `${program}.new`,
    '.',
  ];
  const { code, stderr } = await runProgram('go', args, { cwd: moduleFolder, env: goEnvironment() });
  if (code !== 0) throw new Error(`go build of Helm in ${moduleFolder} failed: ${stderr.slice(-2000)}`);
  await rename(`${program}.new`, program);
  return program;
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

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await findHelm()}\n`);
