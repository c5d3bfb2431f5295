import { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import type { Execution } from '../../src/core/smi/command.ts';
import { DeviceError, type GpuInstanceState } from '../../src/core/gpu/device-state.ts';
import { damages, Dice } from './damage.ts';
import { describeFall, findFalls, type Sight } from './reading-fall.ts';
import { recordedNodes, type NodeRecording } from './recorded-readings.ts';
import { readGpuInstances, readUse } from '../../src/core/smi/reader.ts';

/** A whole node (all commands), or one GPU of it (`-i`), as an apply looks at it. */
export type Scope = 'node' | 'GPU';

type Look = (driver: NvidiaSmi, busId: string) => Promise<readonly Sight[]>;

const looks: Readonly<Record<'readDevice' | 'readInstances' | 'readUse', Look>> = {
  readDevice: async (driver) => {
    const { gpus, lost } = await driver.readDevice();
    return [
      ...gpus.map(({ uuid, mig, fault, instances, processes }) => ({
        gpu: uuid,
        mode: mig?.current,
        isUnknown: fault !== undefined,
        instances: instances.map(nameParts),
        users: [
          ...processes.map(() => 'GPU'),
          ...instances.flatMap(({ id, processes: mine }) => mine.map((one) => `${id}/${one.computeInstance}`)),
        ],
      })),
      ...lost.map(({ uuid = 'lost' }) => ({ gpu: uuid, mode: undefined, isUnknown: true, instances: [], users: [] })),
    ];
  },
  readInstances: async (driver, busId) => {
    const instances = (await driver.read(readGpuInstances(busId))).map(nameParts);
    return [{ gpu: busId, mode: undefined, isUnknown: false, instances, users: [] }];
  },
  readUse: async (driver, busId) => {
    const { mig, migDevices, processes } = await driver.read(readUse(busId));
    const instances = [...new Set(migDevices.map(({ instance }) => instance))].map((id) => ({
      id,
      parts: migDevices.flatMap((device) => (device.instance === id ? [device.computeInstance] : [])),
    }));
    const users = processes.map((one) =>
      one.instance === undefined ? 'GPU' : `${one.instance}/${one.computeInstance}`,
    );
    return [{ gpu: busId, mode: mig?.current, isUnknown: false, instances, users }];
  },
};

function nameParts({ id, computeInstances }: GpuInstanceState): Sight['instances'][number] {
  return { id, parts: computeInstances.map((part) => part.id) };
}

/** One way to look at a node. */
export interface View {
  readonly node: NodeRecording;
  readonly look: keyof typeof looks;
  readonly busId: string;
  /** Whether the driver has read the node before: it asks less then. */
  readonly isKnown: boolean;
}

interface Seen {
  /** Undefined where the look ends in an error. */
  readonly sights: readonly Sight[] | undefined;
  readonly commands: readonly (readonly string[])[];
}

/** Looks at a node; commands of a driver that reads it for the first time to know it do not count. */
export async function lookAt({ node, look, busId, isKnown }: View, answer = node.answer): Promise<Seen> {
  const commands: (readonly string[])[] = [];
  let isFirst = isKnown;
  const driver = new NvidiaSmi(async (args) => {
    if (isFirst) return node.answer(args);
    commands.push(args);
    return answer(args);
  });
  if (isKnown) await driver.readDevice();
  isFirst = false;
  try {
    return { sights: await looks[look](driver, busId), commands };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { sights: undefined, commands };
  }
}

/** Damages what one command says, in every try, and tells what the look shows less without an error. */
export async function damageOne(
  view: View,
  { sights = [] }: Seen,
  command: readonly string[],
  stdout: string,
): Promise<readonly string[]> {
  const whole = view.node.answer(command);
  const answer = (args: readonly string[]): Execution =>
    args.join() === command.join() ? { ...whole, stdout } : view.node.answer(args);
  const seen = await lookAt(view, answer);
  if (seen.sights === undefined) return [];
  return findFalls(sights, seen.sights).map((fall) => describeFall(fall, command, whole.stdout, stdout));
}

/** Damages one command of many readings. @returns how often each kind of fall came without an error */
export async function fuzzReadings(scope: Scope, count: number, seed: number): Promise<ReadonlyMap<string, number>> {
  const dice = new Dice(seed);
  const falls = new Map<string, number>();
  const wholes = new Map<string, Seen>();
  for (let done = 0; done < count;) {
    const node = dice.pick(recordedNodes);
    const busId = dice.pick(node.busIds);
    const isKnown = scope === 'node' && dice.roll(2) === 0;
    const look = scope === 'node' ? 'readDevice' : dice.pick(['readInstances', 'readUse'] as const);
    const view: View = { node, look, busId, isKnown };
    const key = [node.name, look, busId, isKnown].join();
    const whole = wholes.get(key) ?? (await lookAt(view));
    wholes.set(key, whole);
    const command = dice.pick(whole.commands);
    const { stdout } = node.answer(command);
    const damaged = damages[dice.pick(Object.keys(damages))]?.(stdout, dice) ?? stdout;
    if (damaged === stdout) continue;
    done += 1;
    for (const kind of await damageOne(view, whole, command, damaged)) falls.set(kind, (falls.get(kind) ?? 0) + 1);
  }
  return falls;
}
