import { expect } from 'chai';
import fc from 'fast-check';
import type { DeviceReport, PolicySpec } from '../../../src/api/types.ts';
import { planWish, deviceMeets } from '../../../src/core/device/plan.ts';
import {
  advertisesSlice,
  advertisesWhole,
  aGpuPod,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  slicedGpu,
  wholeGpu,
} from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';

const deploy = (name: string) => `nvidia.com/gpu.deploy.${name}`;
const whole = aSlicingPolicy({ layouts: [{ mig: 'Disabled' }] });
const upgrade = 'nvidia.com/gpu-driver-upgrade-state';

/** What the agent, the plugin's DaemonSet and the kubelet do within a second. */
class Cluster extends NodeWorld {
  tolerates = true;
  /** The device as it is, whatever was reported. */
  hardware: DeviceReport = wholeGpu;
  #pods = 0;
  #offered: DeviceReport = wholeGpu;

  live(): void {
    this.#act();
    this.#runPlugin();
    this.#runHolder();
  }

  #act(): void {
    if (this.agent.state !== 'Ready') return;
    const { granted, wish } = this.partition.spec;
    const bootID = this.node.status?.nodeInfo?.bootID ?? '';
    if (granted && granted.epoch > (this.device.observedEpoch ?? 0)) {
      const isInTime = Date.parse(granted.deadline) >= this.now;
      if (isInTime) this.hardware = granted.gpus[0]?.mig === 'Disabled' ? wholeGpu : slicedGpu;
    }
    const plan = wish && planWish(this.hardware, wish).report;
    const epoch = granted?.epoch;
    this.report({
      ...this.hardware,
      bootID,
      ...(epoch !== undefined && { observedEpoch: epoch }),
      ...(plan && { plan: { ...plan, ...(plan.create + plan.destroy > 0 && { modeChanges: 1 }) } }),
    });
  }

  #runPlugin(): void {
    const mayRun = (this.tolerates || this.taintKeys.length === 0) && this.labels[deploy('device-plugin')] === 'true';
    const isThere = this.pods.some(({ metadata }) => metadata.name === 'plugin');
    if (isThere && this.labels[deploy('device-plugin')] !== 'true') {
      this.pods = this.pods.filter(({ metadata }) => metadata.name !== 'plugin');
    } else if (!isThere && mayRun) {
      this.#pods += 1;
      this.pods = [...this.pods, aPluginPod({ uid: `plugin-${this.#pods}`, tolerates: this.tolerates })];
      this.#offered = this.hardware;
    }
    if (!this.pods.some(({ metadata }) => metadata.name === 'plugin')) return this.advertise({});
    this.advertise(this.#offered === slicedGpu ? advertisesSlice : advertisesWhole);
  }

  #runHolder(): void {
    const others = this.pods.filter(({ metadata }) => metadata.name !== 'dcgm');
    this.pods = this.labels[deploy('dcgm')] === 'true' ? [...others, aHolderPod('dcgm')] : others;
  }
}

type Event = (world: Cluster) => void;

const events: Readonly<Record<string, Event>> = {
  'the agent dies': (world) => (world.agent = { state: 'Missing' }),
  'the agent lives': (world) => (world.agent = { state: 'Ready' }),
  'a pod comes': (world) => (world.pods = [...world.pods.filter(({ metadata }) => metadata.name !== 'job'), aGpuPod()]),
  'a pod ends': (world) => (world.pods = world.pods.filter(({ metadata }) => metadata.name !== 'job')),
  'the policy wants slices': (world) => edit(world, aSlicingPolicy().spec.layouts),
  'the policy wants whole GPUs': (world) => edit(world, whole.spec.layouts),
  'the policy goes': (world) => (world.policy = undefined),
  'the leader goes': (world) => world.failOver(),
  'the node is cordoned': (world) =>
    (world.node = { ...world.node, spec: { ...world.node.spec, unschedulable: true } }),
  'the node is uncordoned': (world) =>
    (world.node = { ...world.node, spec: { taints: world.node.spec?.taints ?? [] } }),
  'the driver is upgraded': (world) => world.label({ [upgrade]: 'drain-required' }),
  'the driver is new': (world) => world.label({ [upgrade]: 'upgrade-done' }),
  'the node reboots': (world) => {
    const bootID = `boot-${world.now}`;
    world.node = { ...world.node, status: { ...world.node.status, nodeInfo: { bootID } } };
    world.pods = [];
  },
  'somebody changes the GPU': (world) => (world.hardware = world.hardware === slicedGpu ? wholeGpu : slicedGpu),
  'a second passes': (world) => pass(world, 1),
  'some seconds pass': (world) => pass(world, 7),
  'a minute passes': (world) => pass(world, 60),
  'a quarter passes': (world) => pass(world, 900),
};

let generation = 1;
function edit(world: Cluster, layouts: PolicySpec['layouts'] = []): void {
  generation += 1;
  world.policy = aSlicingPolicy({ generation, layouts });
}

function pass(world: Cluster, seconds: number): void {
  for (let second = 0; second < seconds; second += seconds > 60 ? 10 : 1) {
    world.step(seconds > 60 ? 10_000 : 1000);
    world.live();
  }
}

describe('a node to which anything happens', function () {
  const story = fc.array(fc.constantFrom(...Object.keys(events)), { minLength: 1, maxLength: 15 });

  it('is Ready and open in the end, with everybody back, when it is left alone @slow', () => {
    fc.assert(
      fc.property(story, fc.boolean(), (names, tolerates) => {
        const world = new Cluster({
          node: aNode({ labels: { [deploy('device-plugin')]: 'true', [deploy('dcgm')]: 'true' } }),
          partition: aManagedPartition(),
        });
        world.tolerates = tolerates;
        world.live();
        for (const name of names) events[name]?.(world);
        for (const name of [
          'the agent lives',
          'a pod ends',
          'the node is uncordoned',
          'the driver is new',
          'the policy wants slices',
        ]) {
          events[name]?.(world);
        }
        pass(world, 300);
        pass(world, 4200);
        pass(world, 120);
        const { verdict } = world.step(1000);
        expect(verdict.phase, verdict.message).to.equal('Ready');
        expect(world.taintKeys).to.deep.equal([]);
        expect(world.labels).to.include({ [deploy('device-plugin')]: 'true', [deploy('dcgm')]: 'true' });
        expect(deviceMeets(world.hardware.gpus ?? [], world.partition.spec.wish?.gpus ?? [])).to.equal(true);
        expect(world.node.status?.allocatable).to.deep.equal(advertisesSlice);
      }),
      { seed: 7, numRuns: 20 },
    );
  }).timeout(120_000);
});
