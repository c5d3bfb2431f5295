import { type DeviceTest, readSelector } from '../dra/device-selector.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import type { ClaimableDevice } from './claim-device.ts';

interface Selector {
  readonly cel?: { readonly expression?: string };
}

/** The parts of a DeviceClass (`resource.k8s.io`) that tell what it stands for. */
export interface DeviceClassView {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly extendedResourceName?: string; readonly selectors?: readonly Selector[] };
}

/** One request of a claim, or one alternative of it. */
export interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly count?: number;
  readonly allocationMode?: string;
  readonly adminAccess?: boolean;
  readonly selectors?: readonly Selector[];
}

/** Devices of which a request takes some. */
export interface DeviceChoice {
  /** In words: `DeviceClass mig.nvidia.com with its own selectors`. */
  readonly words: string;
  readonly test: DeviceTest;
  /** Undefined: all that there are. */
  readonly count: number | undefined;
  /** It looks on: others may have them. */
  readonly isMonitor: boolean;
}

/** A request that a node meets if it meets one of the choices, the first first. */
export interface ClaimRequest {
  readonly name: string;
  readonly choices: readonly DeviceChoice[];
}

/** Whether all devices of a class are those of a driver that hands out no GPUs: its selector begins with that driver's name. */
function isOfOtherDriver({ spec }: DeviceClassView): boolean {
  return (spec?.selectors ?? []).some(({ cel: { expression = '' } = {} }) => {
    const driver = /^\s*device\.driver\s*==\s*(['"])([^'"]*)\1\s*(?:&&|$)/.exec(expression)?.[2];
    return driver !== undefined && driver !== gpuDriver && !expression.includes('||');
  });
}

/** Whether no device that a request may get is a GPU. */
export function isForeign(requests: readonly DeviceRequest[], classes: readonly DeviceClassView[]): boolean {
  return requests.every(({ deviceClassName }) =>
    classes.some((one) => one.metadata.name === deviceClassName && isOfOtherDriver(one)),
  );
}

/** @returns why it is not known what devices meet a request */
export function readChoice(request: DeviceRequest, classes: readonly DeviceClassView[]): DeviceChoice | string {
  const { deviceClassName = '', selectors = [], count = 1, allocationMode, adminAccess = false } = request;
  const found = classes.find(({ metadata }) => metadata.name === deviceClassName);
  if (!found) return `there is no DeviceClass ${deviceClassName}`;
  const tests: DeviceTest[] = [];
  for (const { cel } of [...(found.spec?.selectors ?? []), ...selectors]) {
    const expression = cel?.expression ?? '';
    const test = readSelector(expression);
    if (test === undefined) return `its selector is not evaluated here: ${expression}`;
    tests.push(test);
  }
  const own = selectors.length > 0 ? ' with selectors of its own' : '';
  return {
    words: `DeviceClass ${deviceClassName}${own}`,
    test: (device) => tests.every((test) => test(device)),
    count: allocationMode === 'All' ? undefined : count,
    isMonitor: adminAccess,
  };
}

/** How a node stands towards a choice. */
export interface ChoiceFit {
  readonly choice: DeviceChoice;
  readonly matching: readonly ClaimableDevice[];
  readonly free: readonly ClaimableDevice[];
  /** How many devices it takes. */
  readonly needed: number;
  readonly fits: boolean;
}

export function fitChoice(choice: DeviceChoice, devices: readonly ClaimableDevice[]): ChoiceFit {
  const matching = devices.filter(choice.test);
  const free = choice.isMonitor ? matching : matching.filter(({ holder }) => holder === undefined);
  const needed = choice.count ?? Math.max(1, matching.length);
  return { choice, matching, free, needed, fits: free.length >= needed };
}
