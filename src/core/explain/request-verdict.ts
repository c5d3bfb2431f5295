import type { GpuReport, ModelReport } from '../../api/types.ts';
import type { SelectableDevice } from '../dra/device-selector.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels/label-key.ts';
import { parseQuantity } from '../text/quantity.ts';
import { type ClaimableDevice, listDevices } from './claim-device.ts';
import { type ClusterFacts, type GpuNode, isDra } from './cluster-facts.ts';
import { type ChoiceFit, type ClaimRequest, type DeviceChoice, fitChoice } from './device-request.ts';
import type { Blocker } from './node-verdict.ts';

/** Beyond this many combinations of alternatives, requests that fit one by one count as fitting together. */
const mostCombinations = 1000;

/** What keeps a node from the requests of claims; none if of each one choice is free there, beside those of the others. */
export function judgeRequests(
  gpuNode: GpuNode,
  requests: readonly ClaimRequest[],
  facts: ClusterFacts,
): readonly Blocker[] {
  if (requests.length === 0) return [];
  if (!isDra(gpuNode))
    return [{ kind: 'NotOffered', message: 'its device plugin hands its GPUs out, and the pod asks by claim' }];
  const devices = listDevices(gpuNode, facts);
  const fits = requests.map(({ choices }) => choices.map((choice) => fitChoice(choice, devices)));
  const misses = fits.flatMap((one) => describeMisses(one));
  if (misses.length > 0 || fitTogether(fits.map((one) => one.filter((fit) => fit.fits)))) return misses;
  const free = devices.filter(({ holder }) => holder === undefined).length;
  const message = `each request of its claims fits alone, and all ${requests.length} together do not: ${free} of ${devices.length} devices are free`;
  return [{ kind: 'Full', message }];
}

/** @param fits of each request the choices that fit alone */
function fitTogether(fits: readonly (readonly ChoiceFit[])[]): boolean {
  if (fits.reduce((product, { length }) => product * length, 1) > mostCombinations) return true;
  return choose(fits, []);
}

function choose([first, ...others]: readonly (readonly ChoiceFit[])[], slots: readonly Slot[]): boolean {
  if (first === undefined) return canFill(slots);
  return first.some(({ choice, free, needed }) => {
    const taken = choice.isMonitor ? [] : Array.from({ length: needed }, () => free);
    return choose(others, [...slots, ...taken]);
  });
}

/** Devices of which one is needed. */
type Slot = readonly ClaimableDevice[];

/** Whether each slot gets a device of its own (a bipartite matching by augmenting paths). */
function canFill(slots: readonly Slot[]): boolean {
  const slotOf = new Map<ClaimableDevice, number>();
  const fill = (slot: number, seen: Set<ClaimableDevice>): boolean =>
    (slots[slot] ?? []).some((device) => {
      if (seen.has(device)) return false;
      seen.add(device);
      const other = slotOf.get(device);
      if (other !== undefined && !fill(other, seen)) return false;
      slotOf.set(device, slot);
      return true;
    });
  return slots.every((_, slot) => fill(slot, new Set()));
}

/** Why no choice of a request fits, by the nearest of them. */
function describeMisses(fits: readonly ChoiceFit[]): readonly Blocker[] {
  if (fits.some((one) => one.fits)) return [];
  const nearest = fits.toSorted((a, b) => b.matching.length - a.matching.length)[0];
  return nearest === undefined ? [] : [describeMiss(nearest, fits.length)];
}

function describeMiss({ choice, matching, free, tainted }: ChoiceFit, choices: number): Blocker {
  const more = choices > 1 ? ` (and none of the other ${choices - 1} alternatives has room)` : '';
  if (matching.length === 0) {
    return { kind: 'NotOffered', message: `none of its devices meets ${choice.words}${more}` };
  }
  const { count = matching.length } = choice;
  if (count > matching.length) {
    const message = `the claim requests ${count} of ${choice.words}, and ${matching.length} devices of the node meet it${more}`;
    return { kind: 'TooMany', message };
  }
  const taken = matching.filter((device) => !free.includes(device) && !tainted.includes(device));
  const holders = [...new Set(taken.flatMap(({ holder }) => holder ?? []))].toSorted();
  const names = holders.length > 5 ? [...holders.slice(0, 5), `${holders.length - 5} more`] : holders;
  const what = `of ${matching.length} devices that meet ${choice.words}`;
  const causes = [
    ...(taken.length > 0 ? [`${taken.length} ${what} are in use, held by ${names.join(', ')}`] : []),
    ...(tainted.length > 0 ? [describeTainted(`${tainted.length} ${what}`, tainted)] : []),
  ];
  return { kind: taken.length > 0 ? 'Full' : 'Tainted', message: `${causes.join('; ')}${more}` };
}

/** `2 nvidia.com/mig-1g.5gb have taints that the request does not tolerate: gpu.nvidia.com/xid=79:NoSchedule` */
export function describeTainted(what: string, devices: readonly ClaimableDevice[]): string {
  const taints = devices.flatMap((device) =>
    device.taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`),
  );
  return `${what} have taints that the request does not tolerate: ${[...new Set(taints)].toSorted().join(', ')}`;
}

/** A request in words: `2 devices of DeviceClass mig.nvidia.com with selectors of its own`. */
export function describeRequest({ choices }: ClaimRequest): string {
  const [first, ...others] = choices.map(describeChoice);
  return others.length === 0 ? (first ?? '') : `the first available of ${[first, ...others].join(', ')}`;
}

function describeChoice({ count, words, isMonitor }: DeviceChoice): string {
  const amount = count === undefined ? 'all devices' : count === 1 ? '1 device' : `${count} devices`;
  return `${amount} of ${words}${isMonitor ? ', with admin access' : ''}`;
}

/** Resources of the device plugin whose slices meet a request, the smallest first: what an edit of a policy could make. */
export function listMeetingResources({ choices }: ClaimRequest, nodes: readonly GpuNode[]): readonly string[] {
  const possible = nodes.filter(isDra).flatMap(({ partition }) => listPossible(partition?.status?.device ?? {}));
  const meeting = possible.filter((device) => choices.some(({ test }) => test(device)));
  const sizeOf = ({ capacity }: SelectableDevice): bigint => capacity['memory'] ?? 0n;
  const sorted = meeting.toSorted((a, b) => Number(sizeOf(a) - sizeOf(b)));
  return [...new Set(sorted.map(({ resource }) => resource))];
}

/** Devices that GPUs like a node's could be, whether they are now or not. */
function listPossible({
  models = [],
  gpus = [],
}: {
  readonly models?: readonly ModelReport[];
  readonly gpus?: readonly GpuReport[];
}): readonly (SelectableDevice & { readonly resource: string })[] {
  const slices = models.flatMap(({ product, profiles }) =>
    profiles.map(({ name, memoryMiB }) => ({
      resource: migResourceName(name),
      attributes: { type: 'mig', profile: name, productName: product },
      capacity: memoryMiB === undefined ? {} : { memory: parseQuantity(`${memoryMiB}Mi`) },
    })),
  );
  const whole = gpus.map(({ product, uuid, memoryMiB }) => ({
    resource: GPU_RESOURCE,
    attributes: { type: 'gpu', uuid, productName: product },
    capacity: memoryMiB === undefined ? {} : { memory: parseQuantity(`${memoryMiB}Mi`) },
  }));
  return [...slices, ...whole];
}
