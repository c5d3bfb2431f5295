import type { NvmlCall } from '../nvml/nvml-call.ts';

/** What a fault does when it strikes. */
export type FaultEffect =
  /** The call returns an NVML code; with `done` only after completing its work. */
  | { readonly kind: 'fail'; readonly code: number; readonly done: boolean }
  /** The call reports success and changes nothing. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'sleep'; readonly milliseconds: number }
  /** The call never returns; the process ignores SIGTERM unless it `dies`. With `done` it hangs after completing its work. */
  | { readonly kind: 'hang'; readonly dies: boolean; readonly done: boolean }
  /** A change of MIG mode stays pending with this NVML code. */
  | { readonly kind: 'pending'; readonly code: number }
  | { readonly kind: 'output'; readonly damage: OutputDamage; readonly bytes: number }
  /** The driver does not know this GPU instance profile. */
  | { readonly kind: 'hideProfile'; readonly profileId: number }
  /** The driver lists profiles and placements only while MIG mode is on. */
  | { readonly kind: 'tablesOff' }
  | { readonly kind: 'persistenceOff' }
  /** The GPU hosts virtual machines. */
  | { readonly kind: 'vgpuHost' }
  /** The driver reports the GPU as unhealthy, by this sign in its report. */
  | { readonly kind: 'unhealthy'; readonly sign: HealthSign }
  /** Below each answer a warning about the infoROM of this GPU, and exit code 14 in place of 0. */
  | { readonly kind: 'infoRom'; readonly gpu: number }
  | { readonly kind: 'reboot' };

/** Signs of an unhealthy GPU: fields of `-q`, and values of the recovery action of later drivers. */
export const healthSigns = [
  'reset',
  'remap',
  'remapfailure',
  'ecc',
  'recoveryreset',
  'recoveryreboot',
  'recoverydrain',
  'recoverybus',
  'recoverysystem',
  'recoveryother',
] as const;
export type HealthSign = (typeof healthSigns)[number];

export type OutputDamage = 'cut' | 'garbage' | 'flood' | 'empty';

/** One line of a fault file. */
export interface FaultRule {
  /** The line itself: the key of its count. */
  readonly line: string;
  readonly effect: FaultEffect;
  /** NVML call without `nvml`, `*` for every call, `Run` for the start of a command. A prefix is enough. */
  readonly call: string;
  readonly gpu?: number;
  readonly gi?: number;
  readonly ci?: number;
  /** Only commands that have this argument: `-lgi`. */
  readonly argument?: string;
  /** Applies only from the `first` to the `last` match, counted from 1 over all processes that share the state file. */
  readonly nth?: { readonly first: number; readonly last: number };
}

/** What an NVML call acts on; GPU instance and compute instance if the call names one. */
export interface FaultTarget {
  readonly gpu?: number;
  readonly gi?: number;
  readonly ci?: number;
}

/** True if the rule matches this call on this target in this command, regardless of `nth`. */
export function speaksOf(rule: FaultRule, call: NvmlCall, target: FaultTarget, argv: readonly string[]): boolean {
  const callFits = call === 'Run' ? rule.call === 'Run' : rule.call === '*' || call.startsWith(rule.call);
  return (
    callFits &&
    (rule.gpu === undefined || rule.gpu === target.gpu) &&
    (rule.gi === undefined || rule.gi === target.gi) &&
    (rule.ci === undefined || rule.ci === target.ci) &&
    (rule.argument === undefined || argv.includes(rule.argument))
  );
}
