/** A deployment whose pods use one slice each, and the nodes that it fills first. */
export interface GpuWorkload {
  readonly name: string;
  /** `nvidia.com/mig-1g.5gb` */
  readonly resource: string;
  readonly replicas: number;
  /** A node label that its pods prefer: if they were spread evenly, none would ever have to move. */
  readonly prefers: { readonly key: string; readonly value: string };
  /** Name of a PriorityClass. */
  readonly priorityClassName?: string;
}

export function describeDeployment({ name, resource, replicas, prefers, priorityClassName }: GpuWorkload): object {
  const labels = { app: name };
  const preferred = {
    weight: 100,
    preference: { matchExpressions: [{ key: prefers.key, operator: 'In', values: [prefers.value] }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } },
          terminationGracePeriodSeconds: 1,
          ...(priorityClassName !== undefined && { priorityClassName }),
          containers: [{ name: 'main', image: 'tritonserver', resources: { limits: { [resource]: 1 } } }],
        },
      },
    },
  };
}

/** Its owner's limit on pods that are unavailable at the same time. */
export function describeBudget({ name }: Pick<GpuWorkload, 'name'>, maxUnavailable: number): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { maxUnavailable, selector: { matchLabels: { app: name } } },
  };
}
