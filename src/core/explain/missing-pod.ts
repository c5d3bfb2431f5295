import { type EventView, lastSeen } from '../metadata/event-view.ts';
import { isGpuResource } from '../pods/gpu-resource.ts';
import { compareText } from '../text/fingerprint.ts';
import { cutGenerateName } from '../text/label-syntax.ts';
import { wholeUnits } from '../text/quantity.ts';

/** The part of an Event that tells why a controller could not create a pod. */
export interface CreationEvent extends EventView {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** The part of a ResourceQuota that tells what is left. */
export interface QuotaView {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

/**
 * Why a pod does not exist: its controller was refused one, by a quota or an admission policy. Undefined if nothing shows this.
 *
 * @param events of the pod's namespace
 */
export function explainMissing(
  pod: string,
  events: readonly CreationEvent[],
  quotas: readonly QuotaView[],
): string | undefined {
  const [refused] = events
    .filter(({ reason, involvedObject }) => reason === 'FailedCreate' && isRelated(pod, involvedObject?.name ?? ''))
    .toSorted((a, b) => compareText(lastSeen(b), lastSeen(a)));
  const full = quotas.flatMap(({ metadata, status }) =>
    Object.entries(status?.hard ?? {}).flatMap(([key, hard]) => {
      const resource = key.replace(/^(requests|limits)\./, '');
      const used = status?.used?.[key] ?? '0';
      return isGpuResource(resource) && wholeUnits(used) >= wholeUnits(hard)
        ? [`quota ${metadata.name} is used up: ${used} of ${hard} ${key}`]
        : [];
    }),
  );
  const refusal = refused?.message;
  const words =
    refusal === undefined
      ? []
      : [
          `${refused?.involvedObject?.kind ?? 'a controller'} ${refused?.involvedObject?.name ?? ''} cannot create it: ${refusal}`,
        ];
  const all = [...words, ...full];
  return all.length === 0 ? undefined : all.join('; ');
}

/** Whether a controller's pods have such names, or a Deployment of this name has such a ReplicaSet. */
function isRelated(pod: string, owner: string): boolean {
  if (owner === '') return false;
  return pod === owner || pod.startsWith(cutGenerateName(`${owner}-`)) || owner.startsWith(`${pod}-`);
}
