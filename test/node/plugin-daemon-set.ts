import type { MigStrategy } from '../../src/core/nvidia/labels.ts';
import { simulatorImage } from './images.ts';
import { simulatorFolder, simulatorVariables } from './gpus.ts';

export const pluginNamespace = 'kube-system';
export const pluginName = 'nvidia-device-plugin-daemonset';
export const pluginLabel = { name: 'nvidia-device-plugin-ds' } as const;

export const pluginFolder = '/var/lib/kubelet/device-plugins';

/** The static manifest of NVIDIA's plugin, with the simulated one in it: it tolerates `nvidia.com/gpu` and not our taint. */
export function describePlugin(strategy: MigStrategy): object {
  const env = { MIG_STRATEGY: strategy, ...simulatorVariables };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: pluginName, namespace: pluginNamespace },
    spec: {
      selector: { matchLabels: pluginLabel },
      template: {
        metadata: { labels: pluginLabel },
        spec: {
          tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
          priorityClassName: 'system-node-critical',
          terminationGracePeriodSeconds: 5,
          containers: [
            {
              name: 'nvidia-device-plugin-ctr',
              image: simulatorImage,
              command: ['nvidia-device-plugin', '/app/device-plugin.mjs'],
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
              volumeMounts: [
                { name: 'device-plugin', mountPath: pluginFolder },
                { name: 'driver', mountPath: simulatorFolder },
              ],
            },
          ],
          volumes: [
            { name: 'device-plugin', hostPath: { path: pluginFolder } },
            { name: 'driver', hostPath: { path: simulatorFolder } },
          ],
        },
      },
    },
  };
}

/** A pod that holds one slice, and says which. */
export function describeGpuPod(name: string, resource: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: simulatorImage,
          command: ['sh', '-c', 'echo "$NVIDIA_VISIBLE_DEVICES"; exec sleep 100000'],
          resources: { limits: { [resource]: 1 } },
        },
      ],
    },
  };
}
