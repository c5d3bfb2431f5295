import type { SampleNode } from './sample-node.ts';
import { kindOf, type SampleObject } from './sample-files.ts';

/** The parts of a pod's spec that decide on which node it can be. */
export interface PodSpec {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms: readonly { readonly matchExpressions?: readonly Requirement[] }[];
      };
    };
  };
  readonly tolerations?: readonly { readonly key?: string; readonly operator?: string }[];
  readonly containers: readonly {
    readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> };
  }[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Workload {
  /** `samples/workloads/by-label.yaml: Pod notebook`. */
  readonly title: string;
  readonly pod: PodSpec;
}

type PodOwner = {
  readonly metadata: { readonly name: string };
  readonly spec: PodSpec & { readonly template?: { readonly spec: PodSpec } };
};

const ownerKinds: readonly string[] = ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job'];

/** The pods of all samples, by whichever kind they are made. */
export function workloadsOf(objects: readonly SampleObject[]): readonly Workload[] {
  return objects
    .filter(({ value }) => ownerKinds.includes(kindOf(value) ?? ''))
    .map(({ file, value }) => {
      const { metadata, spec } = value as PodOwner;
      return { title: `${file}: ${kindOf(value)} ${metadata.name}`, pod: spec.template?.spec ?? spec };
    });
}

/** What a pod asks for of `nvidia.com`. */
export function gpuLimitsOf(pod: PodSpec): Readonly<Record<string, number>> {
  const all = pod.containers.flatMap(({ resources }) => Object.entries(resources?.limits ?? {}));
  return Object.fromEntries(
    all.filter(([name]) => name.startsWith('nvidia.com/')).map(([name, n]) => [name, Number(n)]),
  );
}

/** As the scheduler decides: resources, nodeSelector, and required node affinity (terms are ORed). */
export function canRunOn(pod: PodSpec, { labels, resources }: SampleNode): boolean {
  const terms = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(gpuLimitsOf(pod)).every(([name, count]) => (resources[name] ?? 0) >= count) &&
    Object.entries(pod.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    (terms ?? [{}]).some(({ matchExpressions = [] }) => matchExpressions.every((one) => meets(labels[one.key], one)))
  );
}

function meets(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      throw new Error(`not an operator of node affinity: ${operator}`);
  }
}
