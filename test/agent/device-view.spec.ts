import { expect } from 'chai';
import { DeviceView, followDriverLoad, watchDriverLoad } from '../../src/agent/device-view.ts';
import type { KubeletWord } from '../../src/core/device/kubelet.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { silentLogger } from '../../src/process/log.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { eventually } from '../support/eventually.ts';
import { mkdirSync, rmdirSync } from 'node:fs';
import { useScratchFolder } from '../device/scratch-folder.ts';

const signal = new AbortController().signal;
const resources = { 'nvidia.com/mig-1g.5gb': 2 };
const isFollowed = ({ stale, resources: offered = {} }: NonNullable<KubeletWord['advertised']>): boolean =>
  stale === 0 && Object.keys(offered).length > 0;
const noGpus = { driverVersion: '550', cudaVersion: undefined, gpus: [], lost: [] };

/** After a change, with a kubelet that offers previous devices until `stale` is set to 0. */
async function aChangedView() {
  const clock = new FakeClock();
  const advertised: { stale: number; resources: Readonly<Record<string, number>> } = { stale: 1, resources };
  const word: KubeletWord = { holders: { ofDevice: new Map(), ofAny: [], stale: [] }, advertised };
  const view = new DeviceView({
    read: async () => noGpus,
    kubelet: { ask: async () => ({ ...word, advertised: { ...advertised } }) },
    logger: silentLogger,
    intervalMs: 60_000,
    clock,
  });
  await view.read();
  view.expectChange();
  return { clock, advertised, view };
}

describe('what the agent knows of its GPUs', () => {
  it('has the word of a kubelet that follows within a moment', async () => {
    const { clock, advertised, view } = await aChangedView();
    const settled = view.settleSoon(isFollowed, signal);
    await clock.advance(250);
    advertised.stale = 0;
    await clock.advance(100);
    await settled;
    expect(view.report.advertised).to.deep.equal({ stale: 0, resources });
  });

  it('asks on until the node is open: its plugin may still be replaced', async () => {
    const { advertised, view } = await aChangedView();
    advertised.stale = 0;
    expect(await view.settle(isFollowed, false)).to.equal(true);
    expect(view.isSettling).to.equal(true);
    advertised.resources = {};
    expect(await view.settle(isFollowed, false)).to.equal(false);
    expect(view.report.advertised).to.deep.equal({ stale: 0, resources: {} });
    advertised.resources = resources;
    expect(await view.settle(isFollowed, true)).to.equal(true);
    expect(view.isSettling).to.equal(false);
  });

  it('is reported without it if the kubelet takes longer, and the agent keeps asking', async () => {
    const { clock, view } = await aChangedView();
    const settled = view.settleSoon(isFollowed, signal);
    await clock.advance(1000);
    await settled;
    expect(view.report.advertised).to.deep.equal({ stale: 1, resources });
    expect(view.isSettling).to.equal(true);
  });

  it('was never read later than it was, though the machine’s clock is set back since then, or the machine suspended', async () => {
    const { clock, view } = await aChangedView();
    const began = clock.wallMs();
    await clock.advance(2_000);
    clock.shiftWall(600_000);
    expect(view.readMs, 'suspended for ten minutes').to.equal(began);
    clock.shiftWall(-3_600_000 - 600_000);
    expect(view.readMs, 'set back by an hour').to.equal(clock.wallMs() - 2_000);
  });

  it('is read every 15 s while a GPU is lost or none can be read: a fault that has gone is noticed soon', async () => {
    const clock = new FakeClock();
    const fault = { code: 'GpuLost', message: 'GPU is lost' } as const;
    const unnamed = { uuid: undefined, index: undefined, product: undefined, instances: [] };
    const sick = { ...noGpus, lost: [{ pciBusId: '00000000:07:00.0', fault, ...unnamed }] };
    let answer: typeof noGpus | typeof sick | DeviceError = noGpus;
    const view = new DeviceView({
      read: async () => {
        if (answer instanceof DeviceError) throw answer;
        return answer;
      },
      kubelet: undefined,
      logger: silentLogger,
      intervalMs: 60_000,
      clock,
    });
    await view.read();
    expect(view.againMs).to.equal(60_000);
    answer = sick;
    await view.read();
    expect(view.againMs).to.equal(15_000);
    answer = new DeviceError('DriverUnavailable', { tried: 'nvidia-smi -q -x', found: 'no driver' });
    for (const restMs of [5_000, 10_000, 15_000, 15_000, 15_000]) {
      await view.read();
      expect(view.againMs).to.equal(restMs);
    }
    answer = noGpus;
    await view.read();
    expect(view.againMs).to.equal(60_000);
  });

  it('is read as a whole once an interval, though only its use was asked for since', async () => {
    const clock = new FakeClock();
    const depths: (string | undefined)[] = [];
    const view = new DeviceView({
      read: async (depth) => {
        depths.push(depth);
        return noGpus;
      },
      kubelet: undefined,
      logger: silentLogger,
      intervalMs: 60_000,
      clock,
    });
    await view.read('Use');
    await clock.advance(40_000);
    await view.read('Use');
    await clock.advance(20_000);
    await view.read('Use');
    await view.read('Use');
    await view.read();
    expect(depths).to.deep.equal(['Everything', 'Use', 'Everything', 'Use', 'Everything']);
  });
});

describe('a load of the driver', () => {
  const scratch = useScratchFolder();

  it('is told from the next by the folder of its module, and stays while the module is away', () => {
    const [folder, keep] = [scratch.path('nvidia'), scratch.path('other')];
    const load = watchDriverLoad(folder);
    expect(load()).to.equal(undefined);
    mkdirSync(folder);
    const first = load();
    expect(first).to.match(/^\d+$/);
    rmdirSync(folder);
    expect(load()).to.equal(first);
    // Takes the inode that has become free.
    mkdirSync(keep);
    mkdirSync(folder);
    expect(load()).not.to.equal(first);
  });

  it('is told of soon, and only where it is another one', async () => {
    const stop = new AbortController();
    const loads: (string | undefined)[] = [undefined, undefined, '17', '17', '18'];
    let told = 0;
    let looks = 0;
    const load = (): string | undefined => loads[Math.min(looks++, loads.length - 1)];
    const followed = followDriverLoad(load, { onLoad: () => (told += 1), everyMs: 1 }, stop.signal);
    await eventually(() => expect(looks).to.be.greaterThan(loads.length));
    stop.abort();
    await followed;
    expect(told).to.equal(2);
  });
});
