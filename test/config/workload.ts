import { readdirSync } from 'node:fs';
import type { RenderedObject } from '../api/installation.ts';

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly command: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
  }[];
  readonly livenessProbe?: object;
  readonly readinessProbe?: object;
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}

export interface WorkloadTemplate {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly affinity?: {
      readonly podAntiAffinity: {
        readonly preferredDuringSchedulingIgnoredDuringExecution: readonly { readonly podAffinityTerm: object }[];
      };
    };
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly securityContext?: Readonly<Record<string, unknown>>;
    readonly terminationGracePeriodSeconds?: number;
    readonly tolerations?: readonly object[];
    readonly volumes: readonly { readonly name: string; readonly hostPath?: { readonly type?: string } }[];
  };
}

export const workloadKinds = ['Deployment', 'DaemonSet'] as const;
export type WorkloadKind = (typeof workloadKinds)[number];

/** What a cluster is installed from. */
export const installedFolders = [
  'config/default',
  ...readdirSync('config/overlays').map((name) => `config/overlays/${name}`),
];

/** Pods of the controller (Deployment) or of the agents (DaemonSet). */
export function templateOf(objects: readonly RenderedObject[], kind: WorkloadKind): WorkloadTemplate {
  const found = objects.find((object) => object.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found.spec?.['template'] as WorkloadTemplate;
}

export function argsOf(objects: readonly RenderedObject[], kind: WorkloadKind): readonly string[] {
  return templateOf(objects, kind).spec.containers[0]?.args ?? [];
}
