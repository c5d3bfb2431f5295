import { NvidiaSmi } from '../../src/device/command/nvidia-smi.ts';
import type { Execution } from '../../src/device/command/output.ts';
import { DeviceError } from '../../src/device/errors.ts';
import { damages, Dice } from './damage.ts';
import { describeFall, findFalls, type Sight } from './reading-fall.ts';
import { recordedNodes, type RecordedNode } from './recorded-readings.ts';

/** What came of damaging one command of many readings. */
export interface FuzzResult {
  readonly mutations: number;
  /** Readings that showed less than there is, and no error: kind to count. */
  readonly falls: ReadonlyMap<string, number>;
}

/** How a reading is made, and what it shows. */
type Look = (driver: NvidiaSmi, busId: string) => Promise<readonly Sight[]>;

const lookAtNode: Look = async (driver) => {
  const { gpus, lost } = await driver.readDevice();
  return [
    ...gpus.map((gpu) => ({
      gpu: gpu.uuid,
      mode: gpu.mig?.current,
      isUnknown: gpu.fault !== undefined,
      instances: gpu.instances.map(({ id, computeInstances }) => ({
        id,
        parts: computeInstances.map((one) => one.id),
      })),
      users: [
        ...gpu.processes.map(() => 'GPU'),
        ...gpu.instances.flatMap(({ id, processes }) => processes.map((one) => `${id}/${one.computeInstance}`)),
      ],
    })),
    ...lost.map(({ uuid = 'lost' }) => ({ gpu: uuid, mode: undefined, isUnknown: true, instances: [], users: [] })),
  ];
};

const lookAtInstances: Look = async (driver, busId) => {
  const instances = await driver.readInstances(busId);
  return [
    {
      gpu: busId,
      mode: undefined,
      isUnknown: false,
      instances: instances.map(({ id, computeInstances }) => ({ id, parts: computeInstances.map((one) => one.id) })),
      users: [],
    },
  ];
};

const lookAtUse: Look = async (driver, busId) => {
  const { mig, migDevices, processes } = await driver.readUse(busId);
  const ids = [...new Set(migDevices.map(({ instance }) => instance))];
  const partsOf = (id: number): readonly number[] =>
    migDevices.filter(({ instance }) => instance === id).map(({ computeInstance }) => computeInstance);
  return [
    {
      gpu: busId,
      mode: mig?.current,
      isUnknown: false,
      instances: ids.map((id) => ({ id, parts: partsOf(id) })),
      users: processes.map((one) => (one.instance === undefined ? 'GPU' : `${one.instance}/${one.computeInstance}`)),
    },
  ];
};

export function fuzzNodes(mutations: number, seed: number): Promise<FuzzResult> {
  return fuzz(mutations, seed, (dice) => ({ look: lookAtNode, isKnown: dice.roll(2) === 0 }));
}

export function fuzzGpus(mutations: number, seed: number): Promise<FuzzResult> {
  return fuzz(mutations, seed, (dice) => ({ look: dice.pick([lookAtInstances, lookAtUse]), isKnown: false }));
}

interface Case {
  readonly look: Look;
  /** Whether the driver has read the node before: it asks less then. */
  readonly isKnown: boolean;
}

async function fuzz(mutations: number, seed: number, choose: (dice: Dice) => Case): Promise<FuzzResult> {
  const dice = new Dice(seed);
  const falls = new Map<string, number>();
  const wholes = new Map<string, Awaited<ReturnType<typeof see>>>();
  for (let done = 0; done < mutations;) {
    const node = dice.pick(recordedNodes);
    const busId = dice.pick(node.busIds);
    const { look, isKnown } = choose(dice);
    const key = [node.name, look.name, busId, isKnown].join();
    const whole = wholes.get(key) ?? (await see(node, look, busId, isKnown));
    wholes.set(key, whole);
    const command = dice.pick(whole.commands);
    const name = dice.pick(Object.keys(damages));
    const { stdout, ...execution } = node.answer(command);
    const damaged = damages[name]?.(stdout, dice) ?? stdout;
    if (damaged === stdout) continue;
    done += 1;
    const answer = (args: readonly string[]): Execution =>
      args.join() === command.join() ? { ...execution, stdout: damaged } : node.answer(args);
    const { sights } = await see({ ...node, answer }, look, busId, isKnown, node);
    if (sights === undefined) continue;
    for (const effect of findFalls(whole.sights ?? [], sights)) {
      const kind = describeFall(effect, command, stdout, damaged);
      falls.set(kind, (falls.get(kind) ?? 0) + 1);
      if (process.env['FUZZ_SHOW'] === kind) console.log(node.name, name, kind, `\n${damaged}`);
    }
  }
  return { mutations, falls };
}

/** What a look at a node shows, and which commands it took; no sights where it ends in an error. */
async function see(
  node: RecordedNode,
  look: Look,
  busId: string,
  isKnown: boolean,
  before = node,
): Promise<{ readonly sights: readonly Sight[] | undefined; readonly commands: readonly (readonly string[])[] }> {
  const commands: (readonly string[])[] = [];
  let { answer } = before;
  const driver = new NvidiaSmi(async (args) => {
    commands.push(args);
    return answer(args);
  });
  if (isKnown) await driver.readDevice();
  commands.length = 0;
  ({ answer } = node);
  try {
    return { sights: await look(driver, busId), commands };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { sights: undefined, commands };
  }
}
