export const pluginNamespace = 'nvidia-device-plugin';

/** A pod as a DaemonSet makes it, bound to its node already. */
interface DaemonPod {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

export function agentPod(node: string): DaemonPod {
  return daemonPod(node, {
    namespace: 'gpu-partition-agents',
    daemon: 'gpu-partition-agent',
    labels: { 'app.kubernetes.io/name': 'gpu-partition-agent' },
    container: { name: 'agent', image: 'example.com/agent' },
  });
}

/** NVIDIA's device plugin as its Helm chart runs it, set up for strategy mixed. */
export function pluginPod(node: string): DaemonPod {
  return daemonPod(node, {
    namespace: pluginNamespace,
    daemon: 'nvidia-device-plugin',
    labels: { 'app.kubernetes.io/name': 'nvidia-device-plugin' },
    container: {
      name: 'nvidia-device-plugin-ctr',
      image: 'example.com/k8s-device-plugin',
      env: [{ name: 'MIG_STRATEGY', value: 'mixed' }],
    },
  });
}

function daemonPod(
  node: string,
  about: {
    readonly namespace: string;
    readonly daemon: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly container: object;
  },
): DaemonPod {
  const { namespace, daemon, labels, container } = about;
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: daemon, uid: daemon, controller: true };
  return {
    metadata: { name: `${daemon}-${node}`, namespace, labels, ownerReferences: [owner] },
    spec: { nodeName: node, tolerations: [{ operator: 'Exists' }], containers: [container] },
  } as DaemonPod;
}
