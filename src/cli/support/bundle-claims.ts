import { deviceClasses, resourceClaims, resourceClaimTemplates, resourceSlices } from '../../api/resources.ts';
import type { ResourceClaimView } from '../../core/dra/resource-claim.ts';
import { gpuDriver, type ResourceSliceView } from '../../core/dra/resource-slice.ts';
import { projectObject } from '../../core/projection/bundled-object.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { LenientReader } from './lenient-reader.ts';

/**
 * What pods ask for by claim, and what they have: claims that have GPUs, and all of the namespaces of the bundle's pods.
 *
 * @param namespaces of the bundle's pods
 */
export async function readClaims(
  reader: LenientReader,
  namespaces: ReadonlySet<string | undefined>,
): Promise<readonly KubeObject[]> {
  const [classes, claims, templates, slices] = await Promise.all([
    reader.listServed(deviceClasses),
    reader.listServed<ResourceClaimView & KubeObject>(resourceClaims),
    reader.listServed(resourceClaimTemplates),
    reader.listServed<ResourceSliceView & KubeObject>(resourceSlices),
  ]);
  const hasGpu = ({ status }: ResourceClaimView): boolean =>
    (status?.allocation?.devices?.results ?? []).some(({ driver }) => driver === gpuDriver);
  const isOfPods = ({ metadata }: KubeObject): boolean => namespaces.has(metadata.namespace);
  return [
    ...classes.map((one) => projectObject(one, 'deviceClass')),
    ...claims.filter((one) => hasGpu(one) || isOfPods(one)).map((one) => projectObject(one, 'claim')),
    ...templates.filter(isOfPods).map((one) => projectObject(one, 'claimTemplate')),
    ...slices.filter(({ spec }) => spec.driver === gpuDriver).map((one) => projectObject(one, 'slice')),
  ];
}
