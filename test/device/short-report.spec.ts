import { computeLabels } from '../../src/core/nvidia/labels.ts';
import { expect } from 'chai';
import type { DeviceReport } from '../../src/api/types.ts';
import type { Layout } from '../../src/core/gpu/geometry.ts';
import type { DeviceState } from '../../src/core/gpu/device-state.ts';
import { describeReport } from '../../src/core/nvidia/predict.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { applyNode } from '../../src/device/apply.ts';
import { InProcessNode } from './simulated-node.ts';

const models = ['A100-SXM4-40GB', 'A100-SXM4-80GB', 'H100-80GB-HBM3', 'A30-24GB'] as const;
const layouts: Readonly<Record<(typeof models)[number], Layout>> = {
  'A100-SXM4-40GB': { '1g.5gb': 6, '1g.5gb+me': 1 },
  'A100-SXM4-80GB': { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 },
  'H100-80GB-HBM3': { '1c.3g.40gb': 2, '1g.10gb': 3 },
  'A30-24GB': { '2g.12gb': 2 },
};

async function read(model: (typeof models)[number], count = 1): Promise<DeviceState> {
  const gpus = Array.from({ length: count }, () => model);
  const node = new InProcessNode(gpus, gpus.map((_, index) => `gpu ${index} mig 1 pending 1\n`).join(''));
  const work = gpus.map((_, index) => ({ uuid: node.uuid(index), want: layouts[model] }));
  await applyNode(node.openDriver(), work);
  return node.openDriver().readDevice();
}

/** As earlier agents wrote it: every compute instance with all that was read of it. */
function reportInFull(device: DeviceState): DeviceReport {
  const states = new Map(device.gpus.map((gpu) => [gpu.uuid, gpu]));
  const report = reportDevice(device);
  return {
    ...report,
    gpus: (report.gpus ?? []).map((gpu) => ({
      ...gpu,
      instances: gpu.instances.map(({ uuid: _uuid, ...instance }) => ({
        ...instance,
        computeInstances: (
          states.get(gpu.uuid)?.instances.find(({ id }) => id === instance.gi)?.computeInstances ?? []
        ).map(({ profile, uuid = '', attributes }) => ({
          profile,
          uuid,
          memoryMiB: attributes?.memoryMiB ?? 0,
          multiprocessors: attributes?.multiprocessors ?? 0,
          engines: Object.values(attributes?.engines ?? {}),
        })),
      })),
    })),
  };
}

describe('a report', () => {
  for (const model of models) {
    it(`says of ${model} what one with every compute instance in full says: labels, plans, devices`, async () => {
      const device = await read(model);
      const [short, full] = [reportDevice(device), reportInFull(device)];
      expect(describeReport(short)).to.deep.equal(describeReport(full));
      expect(computeLabels(describeReport(short), 'mixed')).to.deep.equal(computeLabels(describeReport(full), 'mixed'));
      const gpus = (short.gpus ?? []).map(({ uuid }) => ({ uuid, profiles: {} }));
      expect(planWish(short, { gpus }).report).to.deep.equal(planWish(full, { gpus }).report);
      const isCut = model.startsWith('H100');
      const listed = (short.gpus ?? []).flatMap(({ instances }) =>
        instances.filter(({ computeInstances }) => computeInstances !== undefined),
      );
      expect(listed.length > 0, 'parts of an instance are listed').to.equal(isCut);
    });
  }

  it('without a CUDA version, or with a word for it, gives no labels of it', async () => {
    const { cudaVersion: _version, ...untold } = reportDevice(await read('A30-24GB'));
    const countLabels = (told: Pick<DeviceReport, 'cudaVersion'>): number => {
      const { labels } = computeLabels(describeReport({ ...untold, ...told }), 'mixed');
      return Object.keys(labels).filter((key) => key.includes('cuda.runtime')).length;
    };
    expect([{ cudaVersion: '12.4' }, {}, { cudaVersion: 'Not Found' }].map(countLabels)).to.deep.equal([5, 0, 0]);
  });

  it('of 8 GPUs with 7 instances each takes less than 60 % of one in full', async () => {
    const device = await read('A100-SXM4-40GB', 8);
    const [short, full] = [reportDevice(device), reportInFull(device)].map((report) => JSON.stringify(report).length);
    expect(short).to.be.below(0.6 * (full ?? 0));
  });

  it('lists a compute instance that has not what the driver’s table says of its profile', async () => {
    const device = await read('A30-24GB');
    const [gpu] = device.gpus;
    if (gpu?.geometry === undefined) throw new Error('no table was read');
    const profiles = gpu.geometry.profiles.map((profile) => ({ ...profile, multiprocessors: 1 }));
    const other = { ...device, gpus: [{ ...gpu, geometry: { ...gpu.geometry, profiles } }] };
    const [first] = reportDevice(other).gpus?.[0]?.instances ?? [];
    expect(first?.computeInstances?.[0]?.multiprocessors).to.be.above(1);
    expect(first).not.to.have.property('uuid');
  });
});
