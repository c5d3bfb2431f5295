import { expect } from 'chai';
import { checkHolders } from '../../../src/core/pods/holder-check.ts';
import { defaultHolders } from '../../../src/core/pods/gpu-holders.ts';

function checkOne(entry: unknown): unknown {
  return checkHolders({ clients: [entry] });
}

describe('a file of GPU clients', () => {
  it('adds to the default ones', () => {
    const mine = { name: 'mine', podLabels: { app: 'mine' }, goes: ['ModeChange'] };
    expect(checkOne(mine)).to.deep.equal([...defaultHolders, mine]);
    expect(checkHolders({ clients: [] })).to.deep.equal(defaultHolders);
  });

  it('replaces a default one by an entry of its name, in its place', () => {
    const mine = { name: 'dcgm', deployLabel: 'nvidia.com/gpu.deploy.dcgm', goes: [] };
    expect(checkOne(mine)).to.deep.equal(defaultHolders.map((client) => (client.name === 'dcgm' ? mine : client)));
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
      expect(checkHolders(file)).to.equal(message);
    });
  }
});
