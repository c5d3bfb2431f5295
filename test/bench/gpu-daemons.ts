import { stringify } from 'yaml';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { createNamespace } from './kubernetes-objects.ts';

/** Where gpu-operator runs its programs. */
export const operatorNamespace = 'gpu-operator';

/** A program that gpu-operator runs on each GPU node. */
interface Operand {
  readonly app: string;
  /** Its DaemonSet selects nodes by this label with the value `true`. */
  readonly deployLabel: string;
}

const deploy = (name: string): string => `nvidia.com/gpu.deploy.${name}`;

export const pluginApp = 'nvidia-device-plugin-daemonset';

/** Those that mig-manager pauses, in the order in which it waits for them, and the validator. */
const operands: readonly Operand[] = [
  { app: pluginApp, deployLabel: deploy('device-plugin') },
  { app: 'gpu-feature-discovery', deployLabel: deploy('gpu-feature-discovery') },
  { app: 'nvidia-dcgm-exporter', deployLabel: deploy('dcgm-exporter') },
  { app: 'nvidia-dcgm', deployLabel: deploy('dcgm') },
  { app: 'nvidia-operator-validator', deployLabel: deploy('operator-validator') },
];

/** Labels that gpu-operator gives a node; the program of nvsm has no DaemonSet. */
export const deployLabels: Readonly<Record<string, string>> = Object.fromEntries(
  [...operands.map(({ deployLabel }) => deployLabel), deploy('nvsm')].map((label) => [label, 'true']),
);

/** Programs that tolerate the same taints, on the nodes of some pools. */
export interface OperandSet {
  readonly name: string;
  readonly pools: readonly string[];
  readonly tolerations: readonly object[];
}

/** Runs gpu-operator's programs on the nodes of the pools. */
export async function installOperands(controlPlane: ControlPlane, sets: readonly OperandSet[]): Promise<void> {
  await createNamespace(controlPlane, operatorNamespace);
  const objects = sets.flatMap((set) => operands.map((operand) => stringify(describeDaemonSet(set, operand))));
  const { code, stderr } = await controlPlane.kubectl(['apply', '-f', '-'], { input: objects.join('---\n') });
  if (code !== 0) throw new Error(`the DaemonSets cannot be made: ${stderr}`);
}

/** The two pods that the validator of a node makes, as they are before a change. */
export async function createValidatorPods(controlPlane: ControlPlane, nodeName: string): Promise<void> {
  for (const app of ['nvidia-cuda-validator', 'nvidia-device-plugin-validator']) {
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { generateName: `${app}-`, labels: { app } },
      spec: { nodeName, containers: [{ name: app, image: 'example.com/validator:1' }] },
    };
    const path = `/api/v1/namespaces/${operatorNamespace}/pods`;
    await controlPlane.client.demand({ method: 'POST', path, body });
  }
}

function describeDaemonSet({ name, pools, tolerations }: OperandSet, { app, deployLabel }: Operand): object {
  const labels = { app, tolerations: name };
  const expression = { key: 'pool', operator: 'In', values: pools };
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
    },
  };
  const env = [{ name: 'MIG_STRATEGY', value: 'mixed' }];
  const containers = [{ name: app.replace('-daemonset', ''), image: 'example.com/operand:1', env }];
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: `${app}-${name}`, namespace: operatorNamespace },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { nodeSelector: { [deployLabel]: 'true' }, affinity, tolerations, containers },
      },
    },
  };
}
