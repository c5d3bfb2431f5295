import { expect } from 'chai';
import { judgeWork } from '../../src/core/device/grants.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deviceOf, openDevice, type WorkOptions } from '../../src/agent/open-device.ts';
import type { Step } from '../../src/core/gpu/plan.ts';
import { Journal } from '../../src/device/host/journal.ts';
import { silentLogger } from '../../src/process/log.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { InProcessNode } from '../device/simulated-node.ts';

const options: WorkOptions = {
  device: undefined,
  allowReset: false,
  undo: true,
  allOrNothing: false,
  explainStop: () => undefined,
  confirm: () => Promise.resolve(),
  listHeld: () => Promise.resolve(new Set()),
  signal: new AbortController().signal,
};

describe('device nodes and CDI specs', () => {
  const scratch = useScratchFolder();

  it('follow a change, and only a change, before anybody hears of it', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    const seen: number[] = [];
    // A program that is killed in between leaves the journal, by which the next one knows.
    const finish = (): void => void expect(seen).to.have.length(1);
    const device = deviceOf(node.openDriver(), {
      journal: { begin: () => Promise.resolve(), finish },
      lock: { explainLoss: () => undefined },
      logger: silentLogger,
      afterChange: async () => void seen.push(node.takeChanges().length),
    });
    const wish = { uuid: node.uuid(0), profiles: { '3g.20gb': 2 } };
    const create = { action: 'CreateInstance' as const, profile: '3g.20gb', computeInstances: ['3g.20gb'] };
    const steps = [0, 4].map((start) => ({ ...create, start }));
    await device.apply([wish], [{ uuid: wish.uuid, mode: 'Enable', steps }], options);
    expect(seen).to.deep.equal([2]);
    await device.apply([wish], [{ uuid: wish.uuid, steps: [] }], options);
    expect(seen).to.deep.equal([2]);
  });

  it('follow a change at the start of the next agent, if the one that made it was killed', async () => {
    const stateDir = scratch.path('state');
    const bootIdFile = scratch.path('boot-id');
    const spec = scratch.path('toolkit', 'run', 'cdi');
    mkdirSync(spec, { recursive: true });
    for (const file of [bootIdFile, join(spec, 'nvidia.yaml')]) writeFileSync(file, '1\n');
    const journal = new Journal({ path: join(stateDir, 'journal.json'), bootIdPath: bootIdFile });
    await journal.begin({ gpus: [{ uuid: 'GPU-1', mig: 'Enabled', placements: [] }] });
    const told: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void told.push(message) };
    const paths = { stateDir, bootIdFile, toolkitRoot: [scratch.path('toolkit')], nvidiaSmi: '/nonexistent' };
    const tellOfLock = (): Promise<void> => Promise.resolve();
    await openDevice({ nodeName: 'n', gpusAtOnce: 1, timeouts: {}, tellOfLock, ...paths }, logger, options.signal);
    expect(told).to.include('device nodes or a CDI spec do not follow the layout');
  });
});

describe('a GPU whose change failed', () => {
  it('is told about with the reason why its previous layout is not back, if it is not', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    node.run(['mig', '-i', '0', '-cgi', '9:0,9:4', '-C']);
    node.faults = 'fail DeviceCreateGpuInstance rc=999';
    const device = deviceOf(node.openDriver(), {
      journal: { begin: () => Promise.resolve(), finish: () => undefined },
      lock: { explainLoss: () => undefined },
      logger: silentLogger,
    });
    const wish = { uuid: node.uuid(0), profiles: { '7g.40gb': 1 } };
    const step = (action: Step['action'], name: string, start: number): Step => {
      return { action, profile: name, start, computeInstances: [name] };
    };
    const steps = [
      step('DestroyInstance', '3g.20gb', 0),
      step('DestroyInstance', '3g.20gb', 4),
      step('CreateInstance', '7g.40gb', 0),
    ];
    const { results } = await device.apply([wish], [{ uuid: wish.uuid, steps }], options);
    expect(results.map(({ error, undoError }) => [error?.code, undoError?.code])).to.deep.equal([
      ['DriverFailed', 'DriverFailed'],
    ]);
  });

  it('is told about with the GPU that cannot go back beside it, where it is all or nothing', async () => {
    const node = new InProcessNode(
      ['A100-SXM4-40GB', 'A100-SXM4-40GB'],
      'gpu 0 mig 1 pending 1\ngpu 1 mig 1 pending 1\n',
    );
    node.faults = 'fail DeviceCreateGpuInstance rc=999 gpu=1 nth=1\nfail GpuInstanceDestroy rc=19 gpu=0';
    const device = deviceOf(node.openDriver(), {
      journal: { begin: () => Promise.resolve(), finish: () => undefined },
      lock: { explainLoss: () => undefined },
      logger: silentLogger,
    });
    const wishes = [0, 1].map((gpu) => ({ uuid: node.uuid(gpu), profiles: { '7g.40gb': 1 } }));
    const step: Step = { action: 'CreateInstance', profile: '7g.40gb', start: 0, computeInstances: ['7g.40gb'] };
    const work = wishes.map(({ uuid }) => ({ uuid, steps: [step] }));
    const { results } = await device.apply(wishes, work, { ...options, allOrNothing: true });
    expect(await node.layout(0), 'it is left').to.deep.equal(['7g.40gb@0[]']);
    expect(results.flatMap(({ uuid, error }) => (error ? uuid : []))).to.deep.equal([node.uuid(1)]);
    expect(judgeWork(results, [], new Map())?.message).to.contain(
      `the previous layout of GPU ${node.busId(0)} could not be restored: InUse: `,
    );
  });
});
