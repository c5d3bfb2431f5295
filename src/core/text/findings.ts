// Room text: how values are compared, read and written: JSON, names, quantities, times and sentences. Nothing in it knows of GPUs.
// Ask here for the form in which a mistake in a user's file is told, and for the place of it as jq writes it.

/** The place of a value in a document: keys of objects and indices of lists, from the outside in. */
export type FieldPath = readonly (string | number)[];

type Severity = 'error' | 'warning';

/** A finding about something in a user's file that is wrong, or does something other than it seems to. */
export interface Finding {
  readonly severity: Severity;
  /** A word for programs. */
  readonly code: FindingCode;
  readonly path: FieldPath;
  /** A sentence for people: what was found and what to write instead. */
  readonly message: string;
  /** Ids of the GPU models that a warning is about. */
  readonly models?: readonly string[];
}

/** Every code that file checks report. */
export const findingCodes = [
  // The input as a whole.
  'Unreadable',
  'InvalidYaml',
  'DuplicateKey',
  'MoreFindings',
  // Policies.
  'UnknownKind',
  'InvalidName',
  'InvalidField',
  'RuleBroken',
  'SharingRefused',
  'BadWindow',
  'UnknownProfile',
  'UnknownPreset',
  'DoesNotFit',
  'SingleNeedsOneProfile',
  'NeverApplies',
  'NoSuchModel',
  'StrategyMismatch',
  'SameNodes',
  'DuplicatePolicy',
  // Files of mig-parted.
  'InvalidMigParted',
  'InvalidConfigName',
  'DuplicateConfig',
  'MatchesNoGpu',
  'UnknownGpu',
  'NarrowerFilter',
  'ZeroCount',
  'Overlap',
  'Contradiction',
  'NoInstances',
  'WipesGpu',
  'NothingToImport',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** A path as jq writes it: `spec.layouts[0].profiles["1g.5gb"]`; `$` for the whole document. */
export function writePath(path: FieldPath): string {
  const text = path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return /^[A-Za-z_][\w-]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('');
  return text === '' ? '$' : text.replace(/^\./, '');
}
