/** One option of nvidia-smi: its spellings and whether it takes a value. */
export interface OptionSpec<Name extends string> {
  readonly name: Name;
  /** `-i`, `--id`: equivalent. */
  readonly spellings: readonly string[];
  readonly value: 'none' | 'required' | 'optional';
}

/** The given options; `true` for no value. If given twice, the last wins. */
export type Options<Name extends string> = ReadonlyMap<Name, string | true>;

export type ScanResult<Name extends string> =
  | { readonly kind: 'options'; readonly options: Options<Name> }
  /** `word` as typed, but for `-x=y` with a missing value only the part before the equals sign. */
  | { readonly kind: 'unknown' | 'missingValue'; readonly word: string };

/** Reads a command line as strictly as nvidia-smi does: `-x y`, `-x=y`, `--long=y`; no bundles, abbreviations or extra arguments. */
export function scanOptions<Name extends string>(
  argv: readonly string[],
  specs: readonly OptionSpec<Name>[],
): ScanResult<Name> {
  const options = new Map<Name, string | true>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const equals = word.indexOf('=');
    const spelling = equals < 0 ? word : word.slice(0, equals);
    const spec = specs.find(({ spellings }) => spellings.includes(spelling));
    if (spec === undefined || (spec.value === 'none' && equals >= 0)) {
      return { kind: 'unknown', word };
    }
    if (spec.value === 'none') {
      options.set(spec.name, true);
    } else if (equals >= 0) {
      options.set(spec.name, word.slice(equals + 1));
    } else {
      const next = argv[at + 1];
      const isValue = next !== undefined && !isOption(next, specs);
      if (!isValue && spec.value === 'required') {
        return { kind: 'missingValue', word };
      }
      options.set(spec.name, isValue ? next : true);
      at += isValue ? 1 : 0;
    }
  }
  return { kind: 'options', options };
}

function isOption(word: string, specs: readonly OptionSpec<string>[]): boolean {
  return specs.some(({ spellings }) =>
    spellings.some((spelling) => word === spelling || word.startsWith(`${spelling}=`)),
  );
}

/** The text given for an option, if any. */
export function textOf<Name extends string>(options: Options<Name>, name: Name): string | undefined {
  const value = options.get(name);
  return value === true ? undefined : value;
}

/** Values of options that switch something. */
export const switchWords: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['ENABLED', true],
  ['0', false],
  ['DISABLED', false],
]);

export function describeInvalid(option: string, value: string): string {
  return `ERROR: Option ${value} is invalid for ${option}. Please run 'nvidia-smi -h' for help.\n\n`;
}
