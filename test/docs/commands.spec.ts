import { expect } from 'chai';
import { stringify } from 'yaml';
import { createNamespace, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { outputOf, prepareRoom, runScript, scriptOf, type CommandRoom } from './command-room.ts';
import { type Fence, fencesOf, readFences, readPages } from './pages.ts';

const atLeast = { sh: 15, console: 5 };

async function readCommands(): Promise<readonly Fence[]> {
  return [...(await readFences('sh', atLeast.sh)), ...(await readFences('console', atLeast.console))];
}

describe('code in documents @all', () => {
  it('says of each block what it is', async () => {
    const known = ['sh', 'console', 'text', 'yaml', 'json', 'mermaid'];
    const unknown = (await readPages())
      .filter(({ path }) => !path.startsWith('docs/design/'))
      .flatMap(fencesOf)
      .filter(({ language }) => !known.includes(language));
    expect(unknown.map(({ page, line }) => `${page}:${line}`)).to.deep.equal([]);
  });

  it('waits no longer than a reader would: each kubectl wait has a timeout', async () => {
    const waits = (await readCommands()).flatMap((one) =>
      scriptOf(one)
        .split('\n')
        .filter((line) => /\bkubectl wait\b/.test(line))
        .map((line) => ({ at: `${one.page}:${one.line}`, line })),
    );
    expect(waits).to.have.length.above(2);
    expect(waits.filter(({ line }) => !line.includes('--timeout'))).to.deep.equal([]);
  });

  it('has a command in each block of commands', async () => {
    for (const one of await readCommands()) expect(scriptOf(one), `${one.page}:${one.line}`).to.match(/\w/);
  });
});

describe('commands in documents @all', function () {
  // Each is a program of its own, and there are some dozens.

  const cluster = useSharedCluster();
  const names = { node: uniqueName('gpu'), policy: uniqueName('docs') };
  let room: CommandRoom;
  let namespace = '';

  /** Placeholders and names of the examples become those of objects that are there. */
  function fillIn(script: string): string {
    return script
      .replaceAll(/\b(?:NAMESPACE\/POD|team\/train)\b/g, `${namespace}/${names.policy}`)
      .replaceAll(/\b(?:NODE|gpu-node-7|gpu-a4)\b/g, names.node)
      .replaceAll(/\b(?:POLICY|NAME)\b/g, names.policy);
  }

  before(async () => {
    room = await prepareRoom(cluster().binaries.kubectl, await cluster().kubeconfigFile());
    namespace = await createNamespace(cluster(), 'docs');
    const objects = [
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: names.node, labels: { 'nvidia.com/gpu.present': 'true' } },
      },
      {
        apiVersion: 'gpupartition.dev/v1alpha1',
        kind: 'GpuNodePartition',
        metadata: { name: names.node },
        spec: { nodeUID: 'uid' },
      },
      {
        apiVersion: 'gpupartition.dev/v1alpha1',
        kind: 'GpuPartitionPolicy',
        metadata: { name: names.policy },
        spec: {
          nodeSelector: { matchLabels: { pool: names.policy } },
          strategy: 'mixed',
          layouts: [{ mig: 'Disabled' }],
        },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: names.policy, namespace },
        spec: {
          containers: [{ name: 'main', image: 'none', resources: { limits: { 'nvidia.com/mig-3g.20gb': '1' } } }],
        },
      },
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { name: names.policy, namespace },
        spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'mig.nvidia.com' } }] } },
      },
    ];
    const input = objects.map((one) => stringify(one)).join('---\n');
    const { code, stderr } = await cluster().kubectl(['create', '-f', '-'], { input });
    expect(code, stderr).to.equal(0);
    const status = JSON.stringify({ status: { phase: 'Failed' } });
    await cluster().kubectl(['patch', 'gpn', names.node, '--subresource=status', '--type=merge', '-p', status]);
  });

  after(async () => {
    await cluster().kubectl(['delete', 'node,gpn', names.node]);
    await cluster().kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await cluster().kubectl(['delete', 'gpp', names.policy, 'inference', '--ignore-not-found']);
  });

  it('run, but for those that are marked with what they need', async () => {
    const commands = (await readCommands()).filter(({ needs }) => needs === undefined);
    expect(commands.length).to.be.above(12);
    const failed: string[] = [];
    for (const one of commands) {
      const { code, stdout, stderr } = await runScript(room, fillIn(scriptOf(one)));
      if (code !== 0) failed.push(`${one.page}:${one.line}: exit code ${code}: ${stdout}${stderr}`);
    }
    expect(failed).to.deep.equal([]);
  });

  it('print what is shown, where no cluster has a say in it', async () => {
    const shown = (await readCommands()).filter(({ text }) => /^\$ gpu-partition (fit|recommend) /.test(text));
    expect(shown).to.have.lengthOf(2);
    for (const one of shown) {
      const { stdout } = await runScript(room, scriptOf(one));
      expect(stdout, `${one.page}:${one.line}`).to.equal(outputOf(one));
    }
  });
});
