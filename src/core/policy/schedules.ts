import { explainWindow } from '../rollout/windows.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import type { FieldPath, Finding } from '../text/finding.ts';

export type Schedule = NonNullable<PolicySpec['schedules']>[number];

/** A policy's spec as it is at a time. Nothing that reads it knows of schedules. */
export interface Variant {
  /** Of the schedule; undefined for the policy's own layouts or demand. */
  readonly name: string | undefined;
  /** Where its layouts or demand stand in the policy. */
  readonly place: FieldPath;
  readonly spec: PolicySpec;
}

/** Worked out once: who compares specs by identity sees a switch, and no other change. */
const variants = new WeakMap<PolicySpec, readonly Variant[]>();
const places = new WeakMap<PolicySpec, Pick<Variant, 'name' | 'place'>>();
const own: FieldPath = ['spec'];

/** Everything that a spec can be: its own layouts or demand first, then those of its schedules. */
export function variantsOf(spec: PolicySpec): readonly Variant[] {
  const known = variants.get(spec);
  if (known) return known;
  const { schedules } = spec;
  const made = schedules === undefined ? [{ name: undefined, place: own, spec }] : splitSpec(spec, schedules);
  for (const { spec: one, name, place } of made) places.set(one, { name, place });
  variants.set(spec, made);
  return made;
}

/** A spec while a schedule is in force. @param name of the schedule; one that it does not have leaves its own layouts or demand */
export function specUnder(spec: PolicySpec, name: string | undefined): PolicySpec {
  const [first, ...others] = variantsOf(spec);
  return (others.find((one) => one.name === name) ?? first)?.spec ?? spec;
}

/** A policy as the schedule has it that its status says is in force. */
export function asScheduled<Policy extends GpuPartitionPolicy>(policy: Policy): Policy {
  const spec = specUnder(policy.spec, policy.status?.schedule?.name);
  return policy.spec.schedules === undefined ? policy : { ...policy, spec };
}

/** Where the layouts or the demand of a spec stand in its policy, for messages: `spec`, or `spec.schedules[1]`. */
export function placeOf(spec: PolicySpec): FieldPath {
  return places.get(spec)?.place ?? own;
}

/** The schedule that makes a spec what it is; undefined for the policy's own layouts or demand. */
export function scheduleOf(spec: PolicySpec): string | undefined {
  return places.get(spec)?.name;
}

function splitSpec(spec: PolicySpec, schedules: readonly Schedule[]): readonly Variant[] {
  const { schedules: _switched, ...always } = spec;
  const { layouts: _layouts, demand: _demand, ...common } = always;
  return [
    { name: undefined, place: own, spec: always },
    ...schedules.map(({ name, layouts, demand }, index) => ({
      name,
      place: [...own, 'schedules', index],
      spec: { ...common, ...(layouts && { layouts }), ...(demand && { demand }) },
    })),
  ];
}

/** Windows and schedules of a policy that are wrong, where they stand and why. */
export function listBadWindows({ rollout, schedules = [] }: PolicySpec): readonly Pick<Finding, 'path' | 'message'>[] {
  return [
    ...(rollout?.windows ?? []).map((window, index) => ({ window, path: [...own, 'rollout', 'windows', index] })),
    ...schedules.map((window, index) => ({ window, path: [...own, 'schedules', index] })),
  ].flatMap(({ window, path }) => {
    const message = explainWindow(window);
    return message === undefined ? [] : [{ path, message }];
  });
}
