import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { validate } from '../../api/generated/gpu-partition-policy.validate.js';
import type { GpuPartitionPolicy, GpuReport } from '../../api/types.ts';
import { findModel } from '../../core/gpu/geometry/model-lookup.ts';
import { checkPolicy } from '../../core/policy/check.ts';
import { selectsNode } from '../../core/policy/precedence.ts';
import { type NodeResolution, resolveNode } from '../../core/policy/resolve-node.ts';
import { fitLayout } from '../../core/gpu/plan/fit.ts';
import { projectRoot } from '../rig/programs.ts';
import type { RigNode } from '../rig/rig.ts';
import { drawPicture, groupPictures } from './picture-lines.ts';

const folder = join(projectRoot, 'samples');

/** The policies of samples/kustomization.yaml. @throws Error if one is not valid: the demo is then pointless. */
export async function readSamples(): Promise<readonly GpuPartitionPolicy[]> {
  const list = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as { readonly resources: string[] };
  return Promise.all(
    list.resources.map(async (file) => {
      const policy: unknown = parse(await readFile(join(folder, file), 'utf8'));
      if (!validate(policy)) throw new Error(`samples/${file}: ${JSON.stringify(validate.errors)}`);
      const refusal = checkPolicy(policy.spec);
      if (refusal) throw new Error(`samples/${file}: ${refusal.reason}: ${refusal.message}`);
      return policy;
    }),
  );
}

/** What each GPU of a node will become, computed without any cluster. */
export function previewNode(node: RigNode, policies: readonly GpuPartitionPolicy[]): readonly string[] {
  const policy = policies.find(({ spec }) => selectsNode(spec.nodeSelector, node.labels));
  const gpus = node.gpus.map(reportGpu);
  const resolved = policy && resolveNode(policy.spec, { gpus }, undefined);
  const pictures = node.gpus.map((name, index) => ({ index, picture: previewGpu(name, gpus[index], resolved) }));
  return [
    `${node.name}  ${policy ? `policy ${policy.metadata.name}, strategy ${policy.spec.strategy}` : 'no policy'}`,
  ].concat(groupPictures(pictures).map((line) => `  ${line}`));
}

/** A GPU that has not been read yet. */
function reportGpu(name: string, index: number): GpuReport {
  const model = findModel(name);
  const product = model?.products[0]?.name ?? name;
  return { uuid: `GPU-${index}`, index, pciBusId: '', product, migCapable: model !== undefined, instances: [] };
}

function previewGpu(name: string, gpu: GpuReport | undefined, resolved: NodeResolution | undefined): string {
  const model = findModel(name);
  if (!model) return `${name}: no MIG, stays whole`;
  if (resolved && 'refusal' in resolved) return resolved.refusal.message;
  const profiles = resolved?.wish.gpus.find(({ uuid }) => uuid === gpu?.uuid)?.profiles;
  if (!profiles) return drawPicture(model, undefined);
  const fit = fitLayout(model, profiles, name);
  return fit.fits ? drawPicture(model, fit.placements ?? []) : fit.refusal.message;
}
