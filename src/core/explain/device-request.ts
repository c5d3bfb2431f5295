import { type DeviceTest, readSelector } from '../dra/device-selector.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import type { ClaimableDevice } from './claim-device.ts';
import { type Toleration, tolerates } from '../pods/pod-view.ts';

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
  readonly tolerations?: readonly Toleration[];
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
  /** Of the taints of devices. */
  readonly tolerations: readonly Toleration[];
}

/** A request that a node meets if it meets one of the choices, the first first. */
export interface ClaimRequest {
  readonly name: string;
  readonly choices: readonly DeviceChoice[];
}

/** Whether no device that a request may get is a GPU. */
export function isForeign(alternatives: readonly DeviceRequest[], classes: readonly DeviceClassView[]): boolean {
  return alternatives.every(({ deviceClassName, selectors = [] }) => {
    const found = classes.find(({ metadata }) => metadata.name === deviceClassName);
    return [...(found?.spec?.selectors ?? []), ...selectors].some(isOfOtherDriver);
  });
}

/** Whether a selector begins with the name of another driver: the rest of it is often not to be evaluated here. */
function isOfOtherDriver({ cel: { expression = '' } = {} }: Selector): boolean {
  const driver = /^\s*device\.driver\s*==\s*(['"])([^'"]*)\1\s*(?:&&|$)/.exec(expression)?.[2];
  return driver !== undefined && driver !== gpuDriver && !expression.includes('||');
}

/** @returns why it is not known what devices meet a request */
export function readChoice(
  request: DeviceRequest,
  classes: readonly DeviceClassView[] | undefined,
): DeviceChoice | string {
  if (classes === undefined) return 'DeviceClasses are not known here';
  const {
    deviceClassName = '',
    selectors = [],
    count = 1,
    allocationMode,
    adminAccess = false,
    tolerations = [],
  } = request;
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
    tolerations,
  };
}

/** How a node stands towards a choice. */
export interface ChoiceFit {
  readonly choice: DeviceChoice;
  readonly matching: readonly ClaimableDevice[];
  readonly free: readonly ClaimableDevice[];
  /** Those of the matching devices that have taints which the choice does not tolerate. */
  readonly tainted: readonly ClaimableDevice[];
  /** How many devices it takes. */
  readonly needed: number;
  readonly fits: boolean;
}

export function fitChoice(choice: DeviceChoice, devices: readonly ClaimableDevice[]): ChoiceFit {
  const matching = devices.filter(choice.test);
  const tainted = matching.filter(({ taints }) => !taints.every((taint) => tolerates(choice.tolerations, taint)));
  const open = matching.filter((device) => !tainted.includes(device));
  const free = choice.isMonitor ? open : open.filter(({ holder }) => holder === undefined);
  const needed = choice.count ?? Math.max(1, matching.length);
  return { choice, matching, free, tainted, needed, fits: free.length >= needed };
}
