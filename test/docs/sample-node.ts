import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { type Profile, type GpuModel, MODELS } from '../../src/core/gpu/geometry.ts';
import { resolveProfile } from '../../src/core/gpu/profiles.ts';
import { composeDevicePluginConfig } from '../../src/core/nvidia/plugin-config.ts';
import type { GpuDescription, MigDeviceDescription } from '../../src/core/nvidia/labels.ts';
import { predictNode } from '../../src/core/nvidia/predict.ts';
import { type GpuLayout, layoutFor, matchesGpu } from '../../src/core/policy/resolve-node.ts';

/** A node as a sample policy leaves it: what a pod can ask for there, and by what it can be found. */
export interface SampleNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resources: Readonly<Record<string, number>>;
}

const gpusOfNode = 8;
const wholeGpu = 'Tesla T4';

/** For each product that the policy makes something of: a node with eight such GPUs. A T4 stands for GPUs without MIG. */
export function nodesOf(policy: GpuPartitionPolicy): readonly SampleNode[] {
  const products = MODELS.flatMap((model) => model.products.map(({ name }) => ({ name, model })));
  return [...products, { name: wholeGpu, model: undefined }].flatMap(({ name, model }) => nodeOf(policy, name, model));
}

function nodeOf(policy: GpuPartitionPolicy, product: string, model: GpuModel | undefined): readonly SampleNode[] {
  const report = { uuid: 'GPU-0', index: 0, pciBusId: '', product, instances: [] };
  const entry = policy.spec.layouts?.find(({ gpus = {} }) => matchesGpu(gpus, report));
  if (entry === undefined || (model === undefined && entry.mig === undefined)) return [];
  const layout = model === undefined ? { mig: 'Disabled' as const } : layoutFor(entry, model, product);
  if ('refusal' in layout) return [];
  const gpus = Array<GpuDescription>(gpusOfNode).fill(describeGpu(product, model, layout));
  const { strategy, sharing } = policy.spec;
  const shared = (sharing?.timeSlicing ?? []).map(({ resource, replicas }) => ({ name: resource, replicas }));
  const { labels, resources, errors } = predictNode(
    { driverVersion: '550.54.15', cudaDriverVersion: [12, 4], gpus },
    strategy,
    { file: 'config.yaml', value: composeDevicePluginConfig(strategy, shared) },
  );
  if (errors.length > 0) throw new Error(`${policy.metadata.name} on ${product}: ${errors.join('; ')}`);
  const name = `${policy.metadata.name} on ${product}`;
  return [{ name, resources, labels: { ...labels, ...policy.spec.nodeSelector.matchLabels } }];
}

function describeGpu(name: string, model: GpuModel | undefined, layout: GpuLayout): GpuDescription {
  const migDevices =
    model === undefined || !('profiles' in layout)
      ? []
      : Object.entries(layout.profiles).flatMap(([profile, count]) =>
          Array<MigDeviceDescription>(count).fill(describeDevice(profile, resolveProfile(model, profile, model))),
        );
  return {
    name,
    memoryMiB: model?.memoryMiB ?? 0,
    computeCapability: [8, 0],
    migCapable: model !== undefined,
    migEnabled: 'profiles' in layout,
    migDevices,
  };
}

function describeDevice(name: string, profile: Profile | undefined): MigDeviceDescription {
  const { computeSlices = 0, memoryMiB = 0, multiprocessors = 0, engines } = profile ?? {};
  return {
    profile: name,
    attributes: {
      memory: memoryMiB,
      multiprocessors,
      'slices.gi': computeSlices,
      'slices.ci': computeSlices,
      'engines.copy': engines?.copy ?? 0,
      'engines.decoder': engines?.decoder ?? 0,
      'engines.encoder': engines?.encoder ?? 0,
      'engines.jpeg': engines?.jpeg ?? 0,
      'engines.ofa': engines?.ofa ?? 0,
    },
  };
}
