import { publishDevices } from '../../dra/published-devices.ts';
import { gpuDriver, listSliceDevices, type ResourceSliceView } from '../../dra/resource-slice.ts';
import { advertisedResources, resourcesText } from '../../nvidia/resources/advertised.ts';
import { driverDeployLabel, pluginDeployLabel } from '../../pods/gpu-holders.ts';
import { namePods } from '../../pods/pod-view.ts';
import { driverPodsOf } from '../../pods/plugin-pods.ts';
import { countWords } from '../../text/cut-text.ts';
import { backendOf } from '../backend.ts';
import { hasStartupTaint, isUnfinished } from '../node-view.ts';
import { type Outcome, refuse, type Ruling, type Situation } from '../outcome.ts';
import { clusterPods, refreshedPods } from './cluster-pods.ts';
import { refuseUnready } from './plugin-config.ts';

/** Two stacks on a node would each hand out the same GPU. */
export function checkBackend(situation: Situation): Ruling | undefined {
  const { claim, fresh, slices } = situation;
  const { backend: asked = 'DevicePlugin' } = claim.winner?.spec ?? {};
  // Its slices count for as long as the driver publishes them.
  if (backendOf(situation) === 'DRA' && asked !== 'DevicePlugin') return checkNoPlugin(situation);
  return checkNoDriver(situation, fresh?.resourceSlices ?? slices ?? []);
}

function checkNoPlugin({ node }: Situation): Ruling | undefined {
  const offered = resourcesText(advertisedResources(node.status?.allocatable ?? {}));
  if (offered === 'nothing') return undefined;
  return refuse(
    'BackendMismatch',
    `the policy hands GPUs out by claims (backend DRA), but a device plugin advertises ${offered} on this node, and each would give ` +
      `the same GPU to pods. Take the device plugin off the node (with gpu-operator: kubectl label node ${node.metadata.name} ` +
      `${pluginDeployLabel}=false --overwrite), or set spec.backend: DevicePlugin. If the plugin has gone already, restart the kubelet, ` +
      'which did not notice',
  );
}

/** A driver that restarts publishes nothing for a moment, and claims may have its devices. */
function checkNoDriver(situation: Situation, slices: readonly ResourceSliceView[]): Ruling | undefined {
  const { node, pods = [] } = situation;
  const devices = listSliceDevices(slices).length;
  const drivers = driverPodsOf(clusterPods(situation, pods));
  if (devices === 0 && drivers.length === 0) return undefined;
  const sign =
    devices > 0
      ? `publishes ${countWords(devices, 'device')} of this node`
      : `is on this node (${namePods(drivers, 3)})`;
  return refuse(
    'BackendMismatch',
    `the policy hands GPUs out by the device plugin (backend DevicePlugin), but the DRA driver ${gpuDriver} ${sign}, and each would give ` +
      'the same GPU to pods. Take the DRA driver off the node (with gpu-operator: kubectl label ' +
      `node ${node.metadata.name} ${driverDeployLabel}=false --overwrite), or set spec.backend: DRA`,
  );
}

/** Whether the DRA driver is on the node and runs: nothing is changed that it would not publish. */
export function checkDriver(situation: Situation): Outcome | undefined {
  const { node, partition, slices, pods } = situation;
  if (slices === undefined || pods === undefined) return { needs: 'Pods' };
  // It may not tolerate the taints of a node that is closed.
  if (isUnfinished(node) || hasStartupTaint(node)) return undefined;
  const drivers = refreshedPods(situation, pods);
  if (drivers.length === 0) {
    return refuse(
      'NoDraDriver',
      `no pod of NVIDIA’s DRA driver is on the node (labels dra-driver-nvidia-gpu-component=kubelet-plugin or ` +
        'app=nvidia-dra-driver-kubelet-plugin, of a DaemonSet in one of --system-namespaces): nothing would offer the slices. Install it, ' +
        'or set spec.backend: DevicePlugin',
    );
  }
  // It exits on a compute instance that is smaller than its GPU instance: then the change is the cure.
  if (publishDevices(partition.status?.device ?? {}).problem !== undefined) return undefined;
  return refuseUnready(node, 'DRA', drivers);
}
