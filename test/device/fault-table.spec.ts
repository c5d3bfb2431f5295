import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { applyNode, type DeviceApplyOptions, type GpuResult } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { Journal } from '../../src/device/host/journal.ts';
import { HungUp } from '../../src/simulator/nvidia-smi/world.ts';
import { useScratchFolder } from './scratch-folder.ts';
import { brief, InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';

interface FaultCase {
  readonly name: string;
  /** What both GPUs are before; two 3g.20gb if absent. */
  readonly from?: GpuTarget['want'];
  /** Fault lines; the first GPU is the one that suffers. */
  readonly faults?: string;
  /** Whatever no fault line can say. Returns how the cause goes away. */
  readonly arrange?: (node: InProcessNode) => Promise<() => void>;
  readonly options?: DeviceApplyOptions;
  /** Outcome and code of both GPUs, or the code of the error where the node cannot be read. */
  readonly expected: readonly [string, string] | string;
  /** Where each command names one GPU, as with a driver that is not known to take several; absent: the same. */
  readonly apart?: readonly [string, string];
  readonly holders?: number;
  /** Commands that may still be run once the fault has struck; each takes its deadline at most. */
  readonly further?: number;
}

const want: GpuTarget['want'] = { '1g.5gb': 3, '2g.10gb': 1 };

describe('a fault of a GPU, its driver or the host', () => {
  const scratch = useScratchFolder();
  const inTheWay = scratch.path('in-the-way');
  const noDisk = scratch.path('no-disk');

  const cases: readonly FaultCase[] = [
    {
      name: 'a driver that hangs in an operation',
      faults: 'hang DeviceCreateGpuInstance gpu=0',
      // The command is one for both; so is what it did not do.
      expected: ['Failed TimedOut', 'Failed TimedOut'],
      apart: ['Failed TimedOut', 'Skipped TimedOut'],
      // A table of several GPUs that has no row of one is not believed without the report.
      further: 2,
    },
    { name: 'a driver that hangs when it is read', faults: 'hang Init', expected: 'TimedOut', further: 1 },
    { name: 'garbage from the start', faults: 'output garbage=300', expected: 'ParseError', further: 0 },
    {
      name: 'garbage after an operation',
      faults: 'output garbage=300 with=-lgi nth=2-',
      // Both are changed by then, and the driver's word alone proves nothing.
      expected: ['Failed ParseError', 'Failed ParseError'],
    },
    {
      name: 'garbage of one GPU after an operation',
      arrange: async (node) => {
        const isSpoilt = (args: readonly string[]): boolean =>
          args.includes('-lgi') &&
          node.state.includes('profile 14') &&
          (!args.includes('-i') || args.includes(node.busId(0)));
        node.intercept = (args, run) => (isSpoilt(args) ? { rc: 0, stdout: '+--', end: 'Exited' } : run());
        return () => undefined;
      },
      expected: ['Failed ParseError', 'Applied'],
    },
    {
      name: 'a process on an instance in the way',
      arrange: async (node) => {
        await node.startProcess(0, 0);
        await node.startProcess(0, 4);
        return () => {
          node.state = node.state.replace(/^proc.*\n/gm, '');
        };
      },
      expected: ['Refused InUse', 'Applied'],
      holders: 2,
    },
    {
      name: 'an instance in use by nobody that can be seen',
      arrange: async (node) => {
        node.faults = [...node.state.matchAll(/^gi 0 (\d+) /gm)].map(([, gi]) => `leak gi=${gi} gpu=0`).join('\n');
        return () => undefined;
      },
      expected: ['Failed InUse', 'Applied'],
      holders: 0,
    },
    { name: 'a GPU that is lost', faults: 'lost gpu=0', expected: ['Refused GpuLost', 'Applied'] },
    {
      name: 'a MIG mode that stays pending under a client',
      from: 'Disabled',
      faults: 'migpending rc=19 gpu=0',
      expected: ['Failed Pending', 'Applied'],
    },
    {
      name: 'a MIG mode that stays pending after a reset',
      from: 'Disabled',
      faults: 'migpending rc=16 gpu=0\nskip GpuReset gpu=0',
      options: { allowReset: true },
      expected: ['Failed RebootRequired', 'Applied'],
    },
    {
      name: 'a GPU instance whose compute instance cannot be made',
      faults: 'fail GpuInstanceCreateComputeInstance rc=999 gpu=0',
      expected: ['Failed DriverFailed', 'Applied'],
    },
    {
      name: 'a creation that says it is done and is not',
      from: {},
      arrange: async (node) => {
        const said =
          'Successfully created GPU instance ID 1 on GPU  0\nSuccessfully created compute instance ID 0 on GPU  0\n';
        node.intercept = (args, run) => (args.includes('-cgi') ? node.runBut(0, args, said) : run());
        return () => undefined;
      },
      expected: ['Failed NothingDone', 'Applied'],
    },
    {
      name: 'a foreign instance that takes the room',
      from: {},
      arrange: async (node) => {
        node.intercept = (args, run) => {
          if (args.includes('-cgi') && !node.state.includes('gi 0')) node.run(['mig', '-i', '0', '-cgi', '0']);
          return run();
        };
        return () => {
          node.run(['mig', '-i', '0', '-dgi']);
        };
      },
      expected: ['Failed ForeignInstance', 'Applied'],
    },
    {
      name: 'a driver that is reloaded on the way',
      faults: 'fail Init rc=9 nth=6-40',
      expected: ['Failed DriverUnavailable', 'Failed DriverUnavailable'],
      apart: ['Failed DriverUnavailable', 'Skipped DriverUnavailable'],
    },
    {
      name: 'a driver that is reloaded before the proof of what it did',
      faults: 'fail Init rc=9 nth=12-40',
      expected: ['Failed DriverUnavailable', 'Failed DriverUnavailable'],
    },
    {
      name: 'a state folder that cannot be',
      options: { journal: new Journal({ path: `${noDisk}/lib/journal.json` }) },
      arrange: async () => {
        rmSync(noDisk, { recursive: true, force: true });
        writeFileSync(noDisk, 'a file where a folder should be');
        return () => rmSync(noDisk);
      },
      expected: ['Skipped JournalUnavailable', 'Skipped JournalUnavailable'],
      further: 0,
    },
    {
      name: 'something is where its file has to be',
      options: { journal: new Journal({ path: inTheWay }) },
      arrange: async () => {
        mkdirSync(`${inTheWay}.new/more`, { recursive: true });
        return () => rmSync(`${inTheWay}.new`, { recursive: true });
      },
      expected: ['Skipped JournalUnavailable', 'Skipped JournalUnavailable'],
      further: 0,
    },
  ];

  const ways = cases.flatMap((one) => [
    { ...one, driver: '550' as const },
    { ...one, driver: '555' as const, name: `${one.name}, one GPU a command`, expected: one.apart ?? one.expected },
  ]);
  for (const { name, driver, from = { '3g.20gb': 2 }, faults = '', arrange, options = {}, ...judged } of ways) {
    const { expected, holders, further } = judged;
    it(`says ${typeof expected === 'string' ? expected : expected.join(' and ')}, and recovers: ${name}`, async () => {
      const node = await aNodeWith(from);
      node.driver = driver;
      node.faults = faults;
      const clear = await arrange?.(node);
      const watched = countCommandsAfterHang(node);
      const before = node.state;
      node.commands.length = 0;
      const results = await apply(node, options);

      expect(results instanceof DeviceError ? results.code : results.map(brief)).to.deep.equal(expected);
      const errors = results instanceof DeviceError ? [results] : results.flatMap(({ error }) => error ?? []);
      for (const { code, message, tried, found, advice } of errors) {
        expect(message).to.include(code).and.to.include(tried).and.to.include(found).and.to.include(advice);
      }
      if (holders !== undefined) expect(errors[0]?.holders).to.have.length(holders);
      if (watched.struck && further !== undefined) expect(watched.after).to.be.at.most(further);
      if (errors.every(({ code }) => code === 'JournalUnavailable' || code === 'ParseError') && further === 0)
        expect(node.state).to.equal(before);

      node.faults = '';
      node.intercept = (_args, run) => run();
      clear?.();
      const healed = await apply(node, options);
      const outcomes = healed instanceof DeviceError ? [healed.message] : healed.map(brief);
      expect(outcomes.filter((outcome) => outcome !== 'Applied' && outcome !== 'Unchanged')).to.deep.equal([]);
      for (const index of [0, 1]) {
        const profiles = (await node.layout(index)).map((place) => place.replace(/@\d+/, '')).toSorted();
        expect(profiles).to.deep.equal(['1g.5gb', '1g.5gb', '1g.5gb', '2g.10gb']);
      }
    });
  }
});

async function aNodeWith(from: GpuTarget['want']): Promise<InProcessNode> {
  const node = new InProcessNode([A100, A100]);
  await node.changeAll(from);
  return node;
}

async function apply(node: InProcessNode, options: DeviceApplyOptions): Promise<readonly GpuResult[] | DeviceError> {
  const targets = node.gpus.map(({ uuid }) => ({ uuid, want }));
  try {
    // The agent has read its GPUs before one is lost.
    return (await applyNode(await openDriver(node), targets, options)).results;
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
}

async function openDriver(node: InProcessNode): Promise<ReturnType<InProcessNode['openDriver']>> {
  const { faults, intercept } = node;
  Object.assign(node, { faults: '', intercept: (_args: readonly string[], run: () => unknown) => run() });
  const driver = node.openDriver();
  await driver.readDevice();
  Object.assign(node, { faults, intercept });
  return driver;
}

/** Ends what hangs, as the deadline would, and counts what is still run after that. */
function countCommandsAfterHang(node: InProcessNode): { readonly struck: boolean; readonly after: number } {
  const watched = { struck: false, after: 0 };
  const { intercept } = node;
  node.intercept = async (args, run) => {
    if (watched.struck) watched.after += 1;
    try {
      return await intercept(args, run);
    } catch (error) {
      if (!(error instanceof HungUp)) throw error;
      watched.struck = true;
      return { rc: 255, stdout: '', end: 'TimedOut' };
    }
  };
  return watched;
}
