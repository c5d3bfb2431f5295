import type { Finding } from '../text/finding.ts';
import { sameJson } from '../text/fingerprint.ts';
import { joinWords, writeLayout } from '../gpu/search/layout-words.ts';
import { type MigConfig, type MigSpec, parseConfigFile } from './config-file.ts';
import { filtersOverlap, isKnownDevice } from './device-filter.ts';
import { judgeSpec, type SpecVerdict } from './verdict.ts';

/** Everything about a config that mig-parted does not report: GPUs that it would wipe, entries that conflict. */
export function checkConfig(config: MigConfig): readonly Finding[] {
  return [...config.specs.flatMap((spec) => checkSpec(spec)), ...checkOverlaps(config.specs)];
}

function checkSpec(spec: MigSpec): readonly Finding[] {
  const verdicts = judgeSpec(spec);
  const refused = verdicts.filter(({ outcome }) => outcome !== 'Applies');
  const filters = spec.filters.filter((filter) => !isKnownDevice(filter)).map(({ id }) => id);
  const unknown: readonly Finding[] =
    filters.length === 0 || spec.layout === undefined
      ? []
      : [
          {
            severity: 'warning',
            code: 'UnknownGpu',
            path: [...spec.path, 'device-filter'],
            message: `no known MIG GPU has the PCI id ${joinWords(filters)}, so the layout could not be checked for it`,
          },
        ];
  return [...unknown, ...describeRefused(spec, verdicts, refused), ...warnEmpty(spec)];
}

/** An entry that no model can take is an error; one that only some models can take is a warning that names the others. */
function describeRefused(
  spec: MigSpec,
  verdicts: readonly SpecVerdict[],
  refused: readonly SpecVerdict[],
): readonly Finding[] {
  const first = refused[0];
  if (first === undefined) return [];
  const path = [...spec.path, 'mig-devices'];
  const models = refused.map(({ model }) => model.id);
  if (refused.length === verdicts.length) {
    const reason =
      spec.filters.length === 0 ? `no GPU model supports it; for example ${first.reason}` : listReasons(refused);
    return [{ severity: 'error', code: 'WipesGpu', path, message: `${describeOutcome(refused)}: ${reason}`, models }];
  }
  const detail = spec.filters.length === 0 ? describeUnfiltered(spec, verdicts, refused) : listReasons(refused);
  const message = `${describeOutcome(refused)}: ${detail}. A policy rejects such a GPU and touches nothing`;
  return [{ severity: 'warning', code: 'WipesGpu', path, message, models }];
}

/** Maximum number of model names in a sentence. */
const MOST_NAMES = 8;

function describeUnfiltered(spec: MigSpec, verdicts: readonly SpecVerdict[], refused: readonly SpecVerdict[]): string {
  const layout = writeLayout(spec.layout ?? {});
  const able = verdicts.filter(({ outcome }) => outcome === 'Applies');
  if (refused.length <= MOST_NAMES)
    return `it has no device-filter, and ${joinWords(listNames(refused))} cannot hold ${layout}`;
  return `it has no device-filter, and only ${joinWords(listNames(able))} can hold ${layout}`;
}

function listNames(verdicts: readonly SpecVerdict[]): readonly string[] {
  return verdicts.map(({ name }) => name);
}

function describeOutcome(refused: readonly SpecVerdict[]): string {
  if (refused.every(({ outcome }) => outcome === 'WipesSilently')) {
    return 'where it does not fit, mig-parted would destroy every instance and report success';
  }
  return refused.some(({ outcome }) => outcome === 'WipesSilently')
    ? 'where it does not fit, mig-parted would destroy every instance, and on some models report success'
    : 'where it does not fit, mig-parted would destroy every instance and then fail';
}

function listReasons(refused: readonly SpecVerdict[]): string {
  return [...new Set(refused.map(({ reason }) => reason))].join('; ');
}

function warnEmpty(spec: MigSpec): readonly Finding[] {
  if (spec.layout === undefined || Object.keys(spec.layout).length > 0) return [];
  const message =
    'MIG mode on and no instances: no GPU is left for pods, and with strategy single the device plugin does not start';
  return [{ severity: 'warning', code: 'NoInstances', path: [...spec.path, 'mig-devices'], message }];
}

/** mig-parted applies all entries that match a GPU, one after the other. */
function checkOverlaps(specs: readonly MigSpec[]): readonly Finding[] {
  return specs.flatMap((later, index) =>
    specs.slice(0, index).flatMap((earlier, position) => {
      if (!specsOverlap(earlier, later) || sameJson(earlier.layout ?? null, later.layout ?? null)) return [];
      return [describeOverlap(earlier, later, position)];
    }),
  );
}

function describeOverlap(earlier: MigSpec, later: MigSpec, position: number): Finding {
  if ((earlier.layout === undefined) !== (later.layout === undefined)) {
    const message = `entry [${position}] wants MIG mode ${earlier.layout === undefined ? 'off' : 'on'} and this entry ${later.layout === undefined ? 'off' : 'on'} on the same GPU: mig-parted toggles the mode and then fails; let each GPU match one entry`;
    return { severity: 'error', code: 'Contradiction', path: later.path, message };
  }
  const message = `entry [${position}] matches the same GPU: mig-parted makes ${writeLayout(earlier.layout ?? {})} there, destroys it, and makes this entry's layout; let each GPU match one entry`;
  return { severity: 'warning', code: 'Overlap', path: later.path, message };
}

/** Whether one GPU can match both entries. */
export function specsOverlap(left: MigSpec, right: MigSpec): boolean {
  if (!left.canMatch || !right.canMatch || !filtersOverlap(left.filters, right.filters)) return false;
  if (left.devices === 'all' || right.devices === 'all') return true;
  const indices = left.devices;
  return right.devices.some((index) => indices.includes(index));
}

/** Checks a config file of mig-parted: its form, and what each config would do to every GPU model that it can match. */
export function validateConfigFile(value: unknown): readonly Finding[] {
  const { configs, findings } = parseConfigFile(value);
  return [...findings, ...configs.flatMap(checkConfig)];
}
