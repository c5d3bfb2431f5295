import { expect } from 'chai';
import type { GpuNodePartition } from '../../../src/api/types.ts';
import { projectPartition } from '../../../src/core/projection/project-partition.ts';
import { fleetDevice, fleetLayout, fleetPartition, fleetPool } from '../../bench/fleet-objects.ts';
import { aDevice, aGpu, aPartition, aPolicy, withClaims } from '../../support/builders.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';
import { aManagedPartition, aNode } from '../../support/node-builders.ts';
import { situations } from '../../support/node-situations.ts';
import { NodeWorld } from '../../support/node-world.ts';

/** As it comes over the wire: no two objects share anything. */
function arrive(partition: GpuNodePartition): GpuNodePartition {
  return JSON.parse(JSON.stringify(partition)) as GpuNodePartition;
}

function project(partition: GpuNodePartition): GpuNodePartition {
  return projectPartition(arrive(partition));
}

function aFleetPartition(name: string): GpuNodePartition {
  const device = fleetDevice(name);
  return aPartition({
    device,
    wish: { gpus: (device.gpus ?? []).map(({ uuid }) => ({ uuid, profiles: fleetLayout })) },
  });
}

describe('a GpuNodePartition as the controller keeps it', () => {
  const layouts = {
    'as it is': [{ profiles: fleetLayout }],
    'another one': [{ profiles: { '3g.20gb': 2 } }],
    'some by count': [{ gpus: { count: 3 }, profiles: { '3g.20gb': 2 } }, { profiles: fleetLayout }],
    'one that does not fit': [{ profiles: { '3g.20gb': 3 } }],
  };
  const starts = {
    ...situations,
    ...Object.fromEntries(
      Object.entries(layouts).map(([name, entries]) => [
        `8 GPUs, ${name}`,
        () => ({
          policy: aPolicy({ layouts: entries }),
          node: aNode({ labels: fleetPool, nodeInfo: { bootID: fleetDevice('fleet-1').bootID ?? '' } }),
          partition: aManagedPartition({ device: fleetDevice('fleet-1'), ...aFleetPartition('fleet-1').spec }),
        }),
      ]),
    ),
  };
  for (const [name, start] of Object.entries(starts)) {
    it(`holds all that is decided on: ${name}`, () => {
      const { partition = aManagedPartition(), ...rest } = start();
      const whole = new NodeWorld({ ...rest, partition: arrive(partition) });
      const kept = new NodeWorld({ ...rest, partition: project(partition) });
      for (let steps = 0; steps < 8; steps += 1) {
        // A change of a Node has functions in it; what they do is seen on the node.
        expect(JSON.stringify(kept.step(500))).to.equal(JSON.stringify(whole.step(500)));
        expect(kept.partition.spec).to.deep.equal(whole.partition.spec);
        expect(kept.partition.status).to.deep.equal(project(whole.partition).status);
        expect(kept.node).to.deep.equal(whole.node);
      }
    });
  }

  it('has neither pods nor claims of its instances: being busy says enough', () => {
    const gpu = withClaims(aGpu({ slices: ['1g.5gb@0'] }), { '1g.5gb@0': { 'team/a-gpu': 'team/a' } });
    const kept = project(aPartition({ device: aDevice(gpu), backend: 'DRA' }));
    const [instance] = kept.status?.device?.gpus?.[0]?.instances ?? [];
    expect(instance).to.include({ profile: '1g.5gb', busy: true });
    expect(instance).not.to.have.any.keys('pods', 'claims');
  });

  it('shares profile tables and instances with all others, and a grant with its wish', () => {
    const [one, other] = [project(aFleetPartition('fleet-1')), project(aFleetPartition('fleet-2'))];
    expect(one.status?.device?.models?.[0]).to.equal(other.status?.device?.models?.[0]);
    expect(one.status?.device?.gpus?.[0]?.instances).to.equal(other.status?.device?.gpus?.[5]?.instances);
    expect(one.spec.wish?.gpus[0]?.profiles).to.equal(other.spec.wish?.gpus[7]?.profiles);
    const { wish } = aFleetPartition('fleet-1').spec;
    const { spec } = project(
      aPartition({ ...(wish && { wish, granted: { ...wish, epoch: 1, planHash: 'x', deadline: '' } }) }),
    );
    expect(spec.granted?.gpus).to.equal(spec.wish?.gpus);
  });

  it('leaves out owners and unused names', () => {
    const text = JSON.stringify(
      projectPartition({
        ...aFleetPartition('fleet-1'),
        metadata: { ...fleetPartition('fleet-1', 'u').metadata, managedFields: [{ manager: 'agent' }] },
      }),
    );
    expect(text).not.to.match(/managedFields|ownerReferences|MIG-/);
  });

  it('holds the UUIDs of instances where ResourceSlices have to show them', () => {
    const text = JSON.stringify(
      project(aPartition({ ...aFleetPartition('fleet-1').spec, backend: 'DRA', device: fleetDevice('fleet-1') })),
    );
    expect(new Set(text.match(/MIG-[0-9a-f-]+/g))).to.deep.equal(
      new Set(JSON.stringify(fleetDevice('fleet-1')).match(/MIG-[0-9a-f-]+/g)),
    );
  });

  it('takes less than 6 kB with 8 GPUs of 7 instances each', () => {
    const count = 1_000;
    const keep = (): readonly GpuNodePartition[] =>
      Array.from({ length: count }, (_, at) => project(aFleetPartition(`fleet-${at}`)));
    keep();
    const before = readKeptMemory().heapUsed;
    const kept = keep();
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each partition').to.be.below(6_000);
    expect(kept).to.have.length(count);
  });

  it('is no more when it is projected again', () => {
    const once = project(aFleetPartition('fleet-1'));
    expect(projectPartition(once)).to.deep.equal(once);
  });
});
