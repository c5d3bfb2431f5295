import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicySpec } from '../../../src/api/types.ts';
import { isPlanned } from '../../../src/core/policy/spec.ts';
import {
  accept,
  readVersions,
  storeVersions,
  findUndoing,
  hasAskedSince,
  recordInForce,
  type PolicyHistory,
} from '../../../src/core/policy/record.ts';
import { listDifferences } from '../../../src/core/view/fleet.ts';
import { aPolicy } from '../../support/builders.ts';

const time = '2026-01-01T12:00:00Z';
const good = { layouts: [{ profiles: { '3g.20gb': 2 } }] };
const bad = { layouts: [{ mig: 'Disabled' as const }] };
const paused = { rollout: { paused: true, maxUnavailable: 2 } };

/** A policy whose edits are accepted, as the controller does it, unless told otherwise. */
class Edited {
  policy: GpuPartitionPolicy;

  constructor(spec: Partial<PolicySpec> = good) {
    this.policy = this.#accepted(aPolicy(spec));
  }

  edit(spec: Partial<PolicySpec>, isAccepted = true): this {
    const { metadata, ...policy } = this.policy;
    const generation = (metadata.generation ?? 0) + 1;
    const edited = { ...policy, metadata: { ...metadata, generation }, spec: { ...policy.spec, ...spec } };
    this.policy = isAccepted ? this.#accepted(edited) : edited;
    return this;
  }

  get history(): PolicyHistory {
    return this.policy.status?.history ?? [];
  }

  get generations(): readonly number[] {
    return this.history.map(({ generation }) => generation);
  }

  undoing(isRefused = false) {
    return findUndoing(readVersions(this.policy), isRefused);
  }

  /** What `undo --apply` does. */
  undo(): this {
    const { spec } = this.undoing() ?? {};
    expect(spec).to.not.equal(undefined);
    return this.edit(spec ?? {});
  }

  #accepted(policy: GpuPartitionPolicy): GpuPartitionPolicy {
    const versions = accept(readVersions(policy));
    const before = policy.status?.history ?? [];
    const history = !isPlanned(policy) ? recordInForce(before, versions, time) : before;
    return { ...policy, status: { ...policy.status, ...storeVersions(versions), history: [...history] } };
  }
}

describe('the undoing of an edit', () => {
  it('goes back behind an emergency stop, to what was asked for before the mistake, and leaves the stop', () => {
    for (const stop of [paused, { mode: 'Plan' as const }]) {
      const { spec, generation, isBack } = new Edited().edit(bad).edit(stop).undoing() ?? {};
      expect(generation).to.equal(1);
      expect(spec).to.deep.include({ ...good, ...stop });
      expect(isBack).to.equal(false);
    }
  });

  it('goes back behind several of them', () => {
    const policy = new Edited().edit(bad);
    for (let times = 0; times < 30; times += 1) policy.edit(paused).edit({ rollout: { maxUnavailable: 1 } });
    expect(policy.undoing()?.generation).to.equal(1);
    expect(policy.undoing()?.spec).to.deep.include(good);
  });

  it('is what is in force, of an edit that was never accepted or only plans; mode and pace stay', () => {
    const typo = new Edited().edit(bad).edit({ layouts: [], rollout: { maxUnavailable: 5 } }, false);
    expect(typo.undoing(true)).to.deep.include({ generation: 2 });
    expect(typo.undoing(true)?.spec).to.deep.include({ ...bad, rollout: { maxUnavailable: 5 } });
    const preview = new Edited().edit({ ...bad, mode: 'Plan' });
    expect(preview.undoing()?.spec).to.deep.include({ ...good, mode: 'Plan' });
  });

  it('takes a mistake in the rollout itself back, which keeps the edit from taking effect, and leaves a pause', () => {
    const policy = new Edited({ ...good, rollout: { maxUnavailable: 3 } }).edit(bad);
    const windows = [{ schedule: 'never', duration: '1h' }];
    policy.edit({ rollout: { paused: true, windows } }, false);
    expect(policy.undoing(true)?.generation).to.equal(2);
    expect(policy.undoing(true)?.spec).to.deep.include({ ...bad, rollout: { maxUnavailable: 3, paused: true } });
    expect(policy.undoing(false)?.generation, 'not checked yet: it may be an emergency stop').to.equal(1);
  });

  it('says of a second one that it brings back what was undone', () => {
    const policy = new Edited().edit(bad).edit(paused).undo();
    expect(policy.policy.spec).to.deep.include({ ...good, ...paused });
    expect(policy.undoing()).to.deep.include({ isBack: true });
    expect(policy.undoing()?.spec).to.deep.include(bad);
    policy.edit({ mode: 'Plan' });
    expect(policy.undoing()?.isBack).to.equal(true);
    expect(policy.undo().undoing()?.spec).to.deep.include(good);
  });

  it('does not take defaults that a newer CRD has added for an edit', () => {
    const policy = new Edited().edit(bad).edit({ ...paused, onDelete: 'Keep', priority: 0, allow: {} });
    expect(policy.undoing()?.generation).to.equal(1);
  });

  it('is nothing where no generation is known that asked for something else', () => {
    expect(new Edited().undoing()).to.equal(undefined);
    expect(new Edited().edit(paused).edit({ mode: 'Plan' }).undoing()).to.equal(undefined);
  });
});

describe('the history of a policy', () => {
  it('has each generation that came in force, newest first, with who wrote it and when, and changes with no other edit', () => {
    const written = '2026-01-01T10:00:00Z';
    const managedFields = [
      { manager: 'kubectl', time: '2026-01-01T09:00:00Z', fieldsV1: { 'f:spec': {} } },
      { manager: 'argocd', time: written, fieldsV1: { 'f:spec': {}, 'f:metadata': {} } },
      { manager: 'labeller', time: '2026-01-01T11:00:00Z', fieldsV1: { 'f:metadata': {} } },
      { manager: 'controller', time: '2026-01-01T11:00:00Z', subresource: 'status', fieldsV1: { 'f:spec': {} } },
    ];
    const policy = aPolicy(good);
    const known = { ...policy, metadata: { ...policy.metadata, managedFields } };
    const [first] = recordInForce([], accept(readVersions(known)), time);
    expect(first).to.deep.equal({ generation: 1, time: written, manager: 'argocd', spec: policy.spec });
    const edited = new Edited().edit(bad);
    expect(edited.history.map(({ generation, spec }) => [generation, spec['layouts']])).to.deep.equal([
      [2, bad.layouts],
      [1, good.layouts],
    ]);
    expect(edited.edit({ ...good, mode: 'Plan' }).edit({ layouts: [] }, false).generations).to.deep.equal([2, 1]);
    const again = recordInForce(edited.history, readVersions(edited.policy), '2027-01-01T00:00:00Z');
    expect(again).to.deep.equal(edited.history);
  });

  it('forgets what only paused or resumed first, then the oldest, and stays within 256 kB', () => {
    const many = new Edited();
    for (let count = 0; count < 12; count += 1)
      many
        .edit({ priority: count + 1 })
        .edit(paused)
        .edit({ rollout: {} });
    expect(many.generations).to.have.lengthOf(20);
    expect(new Set(many.history.map(({ spec }) => spec['priority'])).size).to.equal(13);
    const size = (): number => JSON.stringify(many.history).length;
    const big = (letter: string) => [{ profiles: { '1g.5gb': 1 }, pciDeviceIds: Array(60).fill(letter.repeat(1000)) }];
    for (const letter of 'abcdefgh') {
      many.edit({ layouts: big(letter) });
      expect(size()).to.be.at.most(256 * 1024);
    }
    const [newest = 0, ...others] = many.generations;
    expect(others).to.deep.equal([newest - 1, newest - 2, newest - 3]);
    many.edit({ layouts: big('i'.repeat(5)) });
    expect(many.generations, 'too large by itself').to.deep.equal([]);
  });

  it('forgets what a server does not know that was restored from a backup', () => {
    const policy = new Edited().edit(bad).edit(good);
    const versions = readVersions({ ...policy.policy, metadata: { ...policy.policy.metadata, generation: 2 } });
    const restored = { ...versions, inForce: { ...aPolicy(bad), metadata: { name: 'p', generation: 2 } } };
    expect(recordInForce(policy.history, restored, time).map(({ generation }) => generation)).to.deep.equal([2, 1]);
  });

  it('tells since when a policy has asked for the same, and that it does not know', () => {
    const policy = new Edited().edit(bad).edit(paused).edit({ rollout: {} });
    const since = (generation: number): boolean => hasAskedSince(policy.policy, policy.history, generation);
    expect([1, 2, 3, 4].map(since)).to.deep.equal([false, true, true, true]);
    expect(hasAskedSince(policy.policy, [], 3), 'forgotten').to.equal(false);
    policy.edit(good).edit(bad);
    expect([4, 5, 6].map(since), 'something else in between').to.deep.equal([false, false, true]);
  });

  it('shows what differs between two generations, field by field', () => {
    const before = aPolicy({ layouts: [{ profiles: { '1g.5gb': 7 } }] }).spec;
    const after = { ...aPolicy({ layouts: [{ profiles: { '1g.5gb': 4, '3g.20gb': 1 } }] }).spec, ...paused };
    expect(listDifferences(before, after)).to.deep.equal([
      'layouts[0].profiles["1g.5gb"]: 7 → 4',
      'layouts[0].profiles["3g.20gb"]: none → 1',
      'rollout: none → {"paused":true,"maxUnavailable":2}',
    ]);
    expect(listDifferences(before, { ...before })).to.deep.equal([]);
  });
});
