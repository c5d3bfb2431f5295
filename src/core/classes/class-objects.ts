import {
  classNameOf,
  listProfileClasses,
  listSizeClasses,
  listSizes,
  mostAlternatives,
  stemOf,
} from './device-class.ts';
import type { ClassWish } from './device-class.ts';
import { sameJson } from '../text/fingerprint.ts';
import type { SliceKind } from './slice-kind.ts';

const apiVersion = 'resource.k8s.io/v1';

/** An object for `kubectl apply`, and what it is for. */
export interface ExportedObject {
  /** One sentence for people. */
  readonly about: string;
  readonly object: object;
}

/** All that workloads need to ask NVIDIA's DRA driver for slices of these kinds; none without a kind. */
export function exportClasses(kinds: readonly SliceKind[]): readonly ExportedObject[] {
  const classes = listClasses(kinds).map((wish) => ({ about: wish.about, object: describeClass(wish) }));
  const templates = listTemplates(kinds);
  return [...classes, ...templates, ...describeSample(kinds, templates)];
}

/** A DeviceClass as it is written. */
export interface DeviceClassObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly selectors?: readonly object[]; readonly extendedResourceName?: string };
}

/** A DeviceClass that the cluster lacks. */
export interface MissingClass extends DeviceClassObject {
  /** Another class that has its `extendedResourceName`, which it therefore goes without. */
  readonly takenBy?: string;
}

/**
 * DeviceClasses of these kinds that the cluster does not have, or not like this. The API server serves the requests for an extended
 * resource from the newest class that names it: one that somebody else has made is left its resource.
 */
export function listMissingClasses(
  kinds: readonly SliceKind[],
  present: readonly Pick<DeviceClassObject, 'metadata' | 'spec'>[],
): readonly MissingClass[] {
  const known = new Map(present.map(({ metadata, spec }) => [metadata.name, spec]));
  const wishes = listClasses(kinds).map(describeClass);
  const own = new Set(wishes.map(({ metadata }) => metadata.name));
  const others = present.filter(({ metadata }) => !own.has(metadata.name));
  return wishes
    .map((wanted) => leaveResource(wanted, others))
    .filter((wanted) => !isKept(wanted, known.get(wanted.metadata.name)));
}

function leaveResource(
  wanted: DeviceClassObject,
  others: readonly Pick<DeviceClassObject, 'metadata' | 'spec'>[],
): MissingClass {
  const { extendedResourceName, ...spec } = wanted.spec ?? {};
  const taker =
    extendedResourceName === undefined
      ? undefined
      : others.find((other) => other.spec?.extendedResourceName === extendedResourceName);
  return taker === undefined ? wanted : { ...wanted, spec, takenBy: taker.metadata.name };
}

/** Whether a class has all that is wanted of it. Somebody may have added more, such as a configuration. */
export function isKept({ spec = {} }: DeviceClassObject, kept: object = {}): boolean {
  const found = new Map(Object.entries(kept));
  return Object.entries(spec).every(([field, value]) => sameJson(found.get(field), value));
}

function listClasses(kinds: readonly SliceKind[]): readonly ClassWish[] {
  return [...listProfileClasses(kinds), ...listSizeClasses(kinds)];
}

function describeClass({ name, expression, extendedResourceName }: ClassWish): DeviceClassObject {
  const spec = {
    selectors: [{ cel: { expression } }],
    ...(extendedResourceName !== undefined && { extendedResourceName }),
  };
  return { apiVersion, kind: 'DeviceClass', metadata: { name }, spec };
}

interface Template extends ExportedObject {
  readonly name: string;
}

/** "At least N GB" with a choice: the smallest slice that is free. Not for a size that one profile alone has. */
function listTemplates(kinds: readonly SliceKind[]): readonly Template[] {
  return listSizes(kinds).flatMap(({ gb }) => {
    const choice = kinds
      .filter((kind) => kind.gb >= gb)
      .toSorted((a, b) => a.gb - b.gb || a.computeSlices - b.computeSlices)
      .slice(0, mostAlternatives);
    if (choice.length < 2) return [];
    const name = `mig-at-least-${gb}gb`;
    const firstAvailable = choice.map(({ profile }) => ({
      name: stemOf(profile),
      deviceClassName: classNameOf(profile),
      // The server's defaults: without them a second `kubectl apply` would find a difference.
      allocationMode: 'ExactCount',
      count: 1,
    }));
    const spec = { spec: { devices: { requests: [{ name: 'slice', firstAvailable }] } } };
    return {
      name,
      about: `At least ${gb} GB: the first of ${choice.map(({ profile }) => profile).join(', ')} that is free.`,
      object: { apiVersion, kind: 'ResourceClaimTemplate', metadata: { name }, spec },
    };
  });
}

/** A Deployment that takes its slices by claim, or like a pod of the device plugin if no template has a choice. */
function describeSample(kinds: readonly SliceKind[], [template]: readonly Template[]): readonly ExportedObject[] {
  const [smallest] = listProfileClasses(kinds);
  if (smallest?.extendedResourceName === undefined) return [];
  const labels = { app: 'slice-sample' };
  const container = {
    name: 'main',
    image: 'example.com/inference:1',
    resources:
      template === undefined
        ? { limits: { [smallest.extendedResourceName]: 1 } }
        : { claims: [{ name: 'slice', request: 'slice' }] },
  };
  const spec = {
    ...(template !== undefined && {
      resourceClaims: [{ name: 'slice', resourceClaimTemplateName: template.name }],
    }),
    containers: [container],
  };
  const metadata = { name: 'slice-sample' };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
  return [{ about: 'A sample: give it your image and replicas.', object }];
}
