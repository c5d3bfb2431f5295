import { expect } from 'chai';
import { defaultClients, type GpuClient, checkClients } from '../../../src/core/node/plugin-pods.ts';
import { clientPods, clientsToPause, evictablePods, podsThatGo } from '../../../src/core/node/rules/gpu-clients.ts';
import { formatClientsMark, readClientsMark } from '../../../src/core/node/marks.ts';
import { pausedLabels } from '../../../src/core/node/rules/verify-and-open.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { borrowedAnnotation } from '../../../src/core/node/node-patch.ts';

const dcgm = 'nvidia.com/gpu.deploy.dcgm';
const plugin = 'nvidia.com/gpu.deploy.device-plugin';
const names = (holders: readonly GpuClient[]): readonly string[] => holders.map(({ name }) => name);

function aPod(name: string, part: Partial<PodView> = {}): PodView {
  const ownerReferences = [{ kind: 'DaemonSet', controller: true }];
  return { ...part, metadata: { name, uid: `uid-${name}`, ownerReferences, ...part.metadata } };
}

describe('GPU holders', () => {
  it('that go by default are those that mig-manager pauses, and the DRA driver where a GPU stays in use', () => {
    expect(defaultClients.map(({ name, deployLabel, goes }) => [name, deployLabel, goes.join(' ')])).to.deep.equal([
      ['device-plugin', 'nvidia.com/gpu.deploy.device-plugin', 'ModeChange InUse'],
      ['dra-driver', 'nvidia.com/gpu.deploy.dra-driver', 'InUse'],
      ['gpu-feature-discovery', 'nvidia.com/gpu.deploy.gpu-feature-discovery', 'AfterChange ModeChange InUse'],
      ['dcgm', 'nvidia.com/gpu.deploy.dcgm', 'AfterChange ModeChange InUse'],
      ['dcgm-exporter', 'nvidia.com/gpu.deploy.dcgm-exporter', 'AfterChange ModeChange InUse'],
      ['dcgm-dra', 'nvidia.com/gpu.deploy.dcgm-dra', 'AfterChange ModeChange InUse'],
      ['dcgm-exporter-dra', 'nvidia.com/gpu.deploy.dcgm-exporter-dra', 'AfterChange ModeChange InUse'],
      ['nvsm', 'nvidia.com/gpu.deploy.nvsm', 'ModeChange InUse'],
      ['client', 'nvidia.com/gpu.deploy.client', 'ModeChange InUse'],
    ]);
  });

  it('stay for a change of layout alone', () => {
    const pause = clientsToPause(defaultClients, { modeChange: false, inUse: false }, { [plugin]: 'true' });
    expect(pause).to.deep.equal({ labels: {}, clients: [], evict: [] });
  });

  it('are paused for a change of MIG mode where their deploy label is true', () => {
    const { labels, clients } = clientsToPause(
      defaultClients,
      { modeChange: true, inUse: false },
      { [plugin]: 'true', [dcgm]: 'true' },
    );
    expect(labels).to.deep.equal({ [plugin]: 'paused-for-mig-change', [dcgm]: 'paused-for-mig-change' });
    expect(names(clients)).to.deep.equal(names(defaultClients.filter(({ name }) => name !== 'dra-driver')));
  });

  it('keep a deploy label that is false, absent, or paused by somebody else', () => {
    const labels = { [plugin]: 'false', [dcgm]: 'paused-for-driver-upgrade' };
    expect(clientsToPause(defaultClients, { modeChange: true, inUse: true }, labels).labels).to.deep.equal({});
  });

  it('go only on their own occasions', () => {
    const clients: readonly GpuClient[] = [
      { name: 'mode', podLabels: { a: '1' }, goes: ['ModeChange'] },
      { name: 'use', podLabels: { a: '2' }, goes: ['InUse'] },
      { name: 'after', podLabels: { a: '3' }, goes: ['AfterChange'] },
      { name: 'never', podLabels: { a: '4' }, goes: [] },
    ];
    const going = (modeChange: boolean, inUse: boolean): readonly string[] =>
      names(clientsToPause(clients, { modeChange, inUse }, {}).clients);
    expect(going(true, false)).to.deep.equal(['mode']);
    expect(going(false, true)).to.deep.equal(['use']);
    expect(going(true, true)).to.deep.equal(['mode', 'use']);
  });

  it('are evicted where they have no deploy label, or the node does not have it', () => {
    const holders: readonly GpuClient[] = [
      { name: 'bare', podLabels: { app: 'x' }, goes: ['ModeChange'] },
      { name: 'absent', deployLabel: dcgm, podLabels: { app: 'y' }, goes: ['ModeChange'] },
      { name: 'paused', deployLabel: plugin, goes: ['ModeChange'] },
    ];
    const { evict } = clientsToPause(holders, { modeChange: true, inUse: false }, { [plugin]: 'true' });
    expect(names(evict)).to.deep.equal(['bare', 'absent']);
  });

  it('have the pods that select nodes by their deploy label, or carry their labels', () => {
    const holder: GpuClient = { name: 'x', deployLabel: dcgm, podLabels: { app: 'x', tier: 'gpu' }, goes: [] };
    const pods = [
      aPod('by-selector', { spec: { nodeSelector: { [dcgm]: 'true' } } }),
      aPod('by-labels', { metadata: { name: 'by-labels', labels: { app: 'x', tier: 'gpu', more: '1' } } }),
      aPod('half', { metadata: { name: 'half', labels: { app: 'x' } } }),
      aPod('other', { spec: { nodeSelector: { [plugin]: 'true' } } }),
    ];
    expect(clientPods(holder, pods).map(({ metadata }) => metadata.name)).to.deep.equal(['by-selector', 'by-labels']);
  });

  it('do not have pods that have ended, and still have those that are being terminated', () => {
    const holder: GpuClient = { name: 'x', deployLabel: dcgm, goes: [] };
    const pods = ['Succeeded', 'Failed', 'Running', 'Pending'].map((phase) =>
      aPod(phase, { spec: { nodeSelector: { [dcgm]: 'true' } }, status: { phase } }),
    );
    expect(clientPods(holder, pods).map(({ metadata }) => metadata.name)).to.deep.equal(['Running', 'Pending']);
  });

  it('lose to eviction only pods of a DaemonSet, which recreates them', () => {
    const own = aPod('daemon');
    const bare = aPod('bare', { metadata: { name: 'bare', ownerReferences: [] } });
    const job = aPod('job', { metadata: { name: 'job', ownerReferences: [{ kind: 'Job', controller: true }] } });
    expect(evictablePods([own, bare, job])).to.deep.equal([own]);
  });

  it('go after a change with each of their pods once', () => {
    const holders: readonly GpuClient[] = [
      { name: 'a', deployLabel: dcgm, goes: ['AfterChange'] },
      { name: 'b', podLabels: { app: 'x' }, goes: ['AfterChange'] },
      { name: 'c', deployLabel: plugin, goes: ['InUse'] },
    ];
    const both = aPod('both', {
      metadata: { name: 'both', labels: { app: 'x' }, ownerReferences: [{ kind: 'DaemonSet', controller: true }] },
      spec: { nodeSelector: { [dcgm]: 'true' } },
    });
    const other = aPod('other', { spec: { nodeSelector: { [plugin]: 'true' } } });
    expect(podsThatGo(holders, 'AfterChange', [both, other])).to.deep.equal([both]);
  });

  it('are resumed from those loans that are pauses of ours', () => {
    const loans = {
      [dcgm]: { was: 'true', set: 'paused-for-mig-change' },
      'nvidia.com/device-plugin.config': { was: null, set: 'mine' },
    };
    expect(pausedLabels({ annotations: { [borrowedAnnotation]: JSON.stringify(loans) } })).to.deep.equal([dcgm]);
    expect(pausedLabels({ annotations: {} })).to.deep.equal([]);
  });

  it('are marked by the uids of their pods, and no mark is written for none', () => {
    expect(formatClientsMark(['b', 'a', 'b', ''])).to.equal('a,b');
    expect(formatClientsMark([])).to.equal(undefined);
    expect(readClientsMark('a,b')).to.deep.equal(['a', 'b']);
    expect(readClientsMark(undefined)).to.deep.equal([]);
    expect(readClientsMark(' ,a, ')).to.deep.equal(['a']);
  });
});

function checkOne(entry: unknown): unknown {
  return checkClients({ clients: [entry] });
}

describe('a file of GPU clients', () => {
  it('adds to the default ones', () => {
    const mine = { name: 'mine', podLabels: { app: 'mine' }, goes: ['ModeChange'] };
    expect(checkOne(mine)).to.deep.equal([...defaultClients, mine]);
    expect(checkClients({ clients: [] })).to.deep.equal(defaultClients);
  });

  it('replaces a default one by an entry of its name, in its place', () => {
    const mine = { name: 'dcgm', deployLabel: 'nvidia.com/gpu.deploy.dcgm', goes: [] };
    expect(checkOne(mine)).to.deep.equal(defaultClients.map((client) => (client.name === 'dcgm' ? mine : client)));
  });

  it('may name a deploy label of its own, within what the controller has a right on', () => {
    const mine = { name: 'mine', deployLabel: 'nvidia.com/gpu.deploy.monitor', goes: ['InUse'] };
    expect(checkOne(mine)).to.deep.include(mine);
  });

  const refusals: readonly (readonly [string, unknown, string])[] = [
    ['is not an object', [], 'must be an object with a list "clients"'],
    ['has another field', { clients: [], client: [] }, 'unknown field "client"; known: clients'],
    ['has no list', { clients: {} }, 'clients: must be a list'],
    [
      'has an entry that is no object',
      { clients: ['dcgm'] },
      'clients[0]: must be an object with name, deployLabel, podLabels, container, goes',
    ],
    [
      'misspells a field',
      { clients: [{ name: 'a', deploylabel: 'x/y', goes: [] }] },
      'clients[0]: unknown field "deploylabel"; known: name, deployLabel, podLabels, container, goes',
    ],
    [
      'leaves out a name',
      { clients: [{ podLabels: { a: 'b' }, goes: [] }] },
      'clients[0].name: must be a non-empty string',
    ],
    [
      'gives a name twice',
      {
        clients: [
          { name: 'a', podLabels: { a: 'b' }, goes: [] },
          { name: 'a', podLabels: { a: 'c' }, goes: [] },
        ],
      },
      'clients[1].name: "a" is already the name of clients[0]',
    ],
    [
      'does not say whose pods',
      { clients: [{ name: 'a', goes: [] }] },
      'clients[0] (a): needs deployLabel, podLabels or container, or several of them',
    ],
    [
      'has a deploy label without a prefix',
      { clients: [{ name: 'a', deployLabel: 'dcgm', goes: [] }] },
      'clients[0] (a).deployLabel: must be a label key with a prefix, such as nvidia.com/gpu.deploy.client; found "dcgm"',
    ],
    [
      'has a deploy label that is no text',
      { clients: [{ name: 'a', deployLabel: null, goes: [] }] },
      'clients[0] (a).deployLabel: must be a label key with a prefix, such as nvidia.com/gpu.deploy.client; found null',
    ],
    [
      'has a container without a name',
      { clients: [{ name: 'a', container: '', goes: [] }] },
      'clients[0] (a).container: must be the name of a container',
    ],
    [
      'has a deploy label of another domain, which the controller could not write',
      { clients: [{ name: 'a', deployLabel: 'kubernetes.io/hostname', goes: [] }] },
      'clients[0] (a).deployLabel: "kubernetes.io/hostname" is never changed: the controller may only change labels of nvidia.com/ and gpupartition.dev/',
    ],
    [
      'has no pod labels in them',
      { clients: [{ name: 'a', podLabels: {}, goes: [] }] },
      'clients[0] (a).podLabels: must be an object of label key to value, not empty; found {}',
    ],
    [
      'has a pod label that is a number',
      { clients: [{ name: 'a', podLabels: { version: 1 }, goes: [] }] },
      'clients[0] (a).podLabels: must be an object of label key to value, not empty; found {"version":1}',
    ],
    [
      'has a pod label that Kubernetes would not take',
      { clients: [{ name: 'a', podLabels: { app: 'a b' }, goes: [] }] },
      'clients[0] (a).podLabels: "app=a b" is not a label',
    ],
    [
      'does not say when',
      { clients: [{ name: 'a', podLabels: { app: 'a' } }] },
      'clients[0] (a).goes: must be a list of AfterChange, ModeChange, InUse; [] for a client that stays',
    ],
    [
      'has an unknown occasion',
      { clients: [{ name: 'a', podLabels: { app: 'a' }, goes: ['InUse', 'Always'] }] },
      'clients[0] (a).goes: unknown occasion "Always"; must be a list of AfterChange, ModeChange, InUse; [] for a client that stays',
    ],
  ];
  for (const [what, file, message] of refusals) {
    it(`is refused by name where it ${what}`, () => {
      expect(checkClients(file)).to.equal(message);
    });
  }
});
