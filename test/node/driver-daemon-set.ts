import { driverDaemonSet, driverDeviceClasses } from '../../src/simulator/rig/workloads.ts';
import { simulatorFolder, simulatorVariables } from './gpus.ts';
import { simulatorImage } from './images.ts';

export const driverNamespace = 'kube-system';
export const driverName = 'nvidia-dra-driver-kubelet-plugin';
/** As NVIDIA's chart labels its pods. */
export const driverSelector = 'dra-driver-nvidia-gpu-component=kubelet-plugin';

const kubeletFolder = '/var/lib/kubelet';

/** The simulated DRA driver with the rights, the DeviceClasses and the tolerations that NVIDIA's chart installs: none of our taint. */
export function describeDriver(): object {
  const group = 'resource.k8s.io';
  const rules = [
    { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
    { apiGroups: [group], resources: ['resourceclaims'], verbs: ['get'] },
    { apiGroups: [group], resources: ['resourceslices'], verbs: ['get', 'list', 'create', 'update', 'delete'] },
  ];
  const metadata = { name: driverName };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: driverName };
  const subjects = [{ kind: 'ServiceAccount', name: driverName, namespace: driverNamespace }];
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
  const items = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, namespace: driverNamespace } },
    { ...rbac, kind: 'ClusterRole', rules },
    { ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects },
    ...driverDeviceClasses,
    withProgram(
      driverDaemonSet({
        name: driverName,
        namespace: driverNamespace,
        env: simulatorVariables,
      }),
    ),
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}

/** The rig's DaemonSet is the part that a simulated kubelet reads. */
function withProgram({ spec, ...rest }: ReturnType<typeof driverDaemonSet>): object {
  const [container] = spec.template.spec.containers;
  const folders = [`${kubeletFolder}/plugins`, `${kubeletFolder}/plugins_registry`, simulatorFolder];
  const program = {
    ...container,
    image: simulatorImage,
    command: ['gpu-kubelet-plugin', '/app/dra-driver.mjs'],
    env: [...container.env, { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    volumeMounts: folders.map((mountPath, i) => ({ name: `folder-${i}`, mountPath })),
  };
  const podSpec = {
    ...spec.template.spec,
    serviceAccountName: driverName,
    terminationGracePeriodSeconds: 5,
    containers: [program],
    volumes: folders.map((path, i) => ({ name: `folder-${i}`, hostPath: { path, type: 'DirectoryOrCreate' } })),
  };
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: podSpec } } };
}
