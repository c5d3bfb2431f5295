import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import { assembleGpus, migUuid } from '../../src/simulator/nvidia-smi/device.ts';
import { ArrivingPods } from './arriving-pods.ts';
import { gpus, operationsFile, simulatorVariables } from './gpus.ts';
import { OfferOnlooker } from './offer-onlooker.ts';
import type { Profiles } from './operator.ts';
import { useRealNode } from './shared-node.ts';

const layouts: readonly [Profiles, Profiles] = [
  { '1g.5gb': 4, '3g.20gb': 1 },
  { '2g.10gb': 2, '3g.20gb': 1 },
];
const resources = ['nvidia.com/mig-1g.5gb', 'nvidia.com/mig-2g.10gb', 'nvidia.com/mig-3g.20gb'];
const edits = Number(process.env['EDITS'] ?? 8);

describe('pods that wait for slices at any moment, on a real kubelet', function () {
  this.timeout(120_000 + edits * 30_000);
  const operator = useRealNode();

  before(async function () {
    await operator().applyFolder('config/default');
    await operator().runPlugin('mixed');
    await operator().rollOut();
    await operator().ask(layouts[0]);
    await operator().untilDone(layouts[0]);
  });

  after(async () => operator().remove());

  it(`all run on slices that are there, whatever ${edits} edits do, and the node never claims more than its kubelet gives`, async () => {
    const onlooker = new OfferOnlooker(operator().node.controlPlane);
    const arriving = await ArrivingPods.start(operator().node.controlPlane, resources);
    await arriving.untilUsed(10);
    for (let edit = 1; edit <= edits; edit += 1) {
      await operator().ask(layouts[edit % 2] ?? layouts[0]);
      await operator().untilReady();
      await arriving.untilUsed(3);
    }
    await arriving[Symbol.asyncDispose]();
    await onlooker[Symbol.asyncDispose]();
    console.log(`    ${arriving.created} pods arrived, ${arriving.uses.length} had a slice, ${onlooker.looks} looks`);
    expect(arriving.failed, 'pods that failed').to.deep.equal([]);
    expect(onlooker.claims, 'claims').to.deep.equal([]);
    const lives = await readLives();
    const orphans = arriving.uses.filter(
      ({ uuid, fromMs, toMs }) =>
        !lives.some((life) => life.uuid === uuid && life.fromMs <= fromMs && life.toMs >= toMs),
    );
    expect(orphans, 'pods whose slice was not there').to.deep.equal([]);
  });
});

/** MIG devices with the times at which they came and went, in ms since 1970, by the simulated driver's log. */
async function readLives(): Promise<{ readonly uuid: string; readonly fromMs: number; toMs: number }[]> {
  const simulated = assembleGpus(gpus, simulatorVariables.NVIDIA_SMI_SIM_SEED);
  const uuidOf = (line: string): readonly string[] => {
    const [, gpu, gi, ci] = /^ci (\d+) (\d+) (\d+) /.exec(line) ?? [];
    const device = simulated[Number(gpu)];
    return device && gi && ci ? [migUuid(device, Number(gi), Number(ci))] : [];
  };
  const lives: { readonly uuid: string; readonly fromMs: number; toMs: number }[] = [];
  for (const line of (await readFile(operationsFile, 'utf8')).trimEnd().split('\n')) {
    const { time, removed = [], added = [] } = JSON.parse(line) as DeviceEvent;
    const atMs = Date.parse(time);
    for (const uuid of removed.flatMap(uuidOf)) {
      const life = lives.findLast((known) => known.uuid === uuid);
      if (life) life.toMs = atMs;
    }
    for (const uuid of added.flatMap(uuidOf)) lives.push({ uuid, fromMs: atMs, toMs: Infinity });
  }
  return lives;
}

interface DeviceEvent {
  readonly time: string;
  readonly removed?: readonly string[];
  readonly added?: readonly string[];
}
