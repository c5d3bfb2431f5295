import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { clusterTimeoutMs, useClusterAlone } from '../support/cluster.ts';
import { findOldNodes } from '../support/old-nodes.ts';

interface Manifest {
  readonly engines: { readonly node: string };
}

describe('the bundles and the version of Node.js @all', function () {
  const cluster = useClusterAlone();
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const [, promised = ''] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
  let nodes: Awaited<ReturnType<typeof findOldNodes>>;
  let programs: readonly string[];

  before(async function () {
    this.timeout(clusterTimeoutMs);
    // `make test` builds them; one file alone may be run without.
    if (!existsSync('dist')) return this.skip();
    programs = readdirSync('dist').filter((name) => name.endsWith('.mjs'));
    nodes = await findOldNodes();
    return undefined;
  });

  const run = async (node: string, program: string, ...args: readonly string[]) =>
    runProgram(node, [`dist/${program}`, ...args], { timeoutMs: 30_000 });

  it('is the promised one in these tests', async () => {
    expect((await runProgram(nodes.oldest, ['--version'])).stdout).to.match(new RegExp(`^v${promised}\\.`));
  });

  it('may be the oldest that package.json promises: each starts, and the command reaches a cluster', async () => {
    for (const program of programs.filter((name) => !name.endsWith('-sim.mjs'))) {
      const { code, stdout, stderr } = await run(nodes.oldest, program, '--help');
      expect({ program, code, stderr }).to.deep.equal({ program, code: 0, stderr: '' });
      // Only the command starts the solver, and gives it no arguments.
      if (program !== 'demand-solver.mjs') expect(stdout).to.contain('Usage');
    }
    const kubeconfig = await cluster().kubeconfigFile();
    for (const [args, answer] of [
      [['status'], 'no policy'],
      [['release'], 'nothing of ours is left'],
      [['plan', '-f', 'samples/inference-mixed.yaml'], 'inference'],
    ] as const) {
      const { code, stdout, stderr } = await run(
        nodes.oldest,
        'gpu-partition.mjs',
        ...args,
        '--kubeconfig',
        kubeconfig,
      );
      expect({ code, stderr }, args.join(' ')).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.contain(answer);
    }
  });

  it('is named by each in one line, with the found one, where it is too old', async () => {
    for (const program of programs) {
      const { code, stdout, stderr } = await run(nodes.outdated, program, '--help');
      expect({ program, code, stdout }).to.deep.equal({ program, code: 2, stdout: '' });
      expect(stderr).to.match(
        new RegExp(`^error: this program needs Node\\.js ${promised} or newer, and \\S+/node is 18\\.20\\.8: .+\\n$`),
      );
    }
  });
});
