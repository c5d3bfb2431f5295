import { FindingList, type ConfigFinding } from './config-finding.ts';
import { isFields } from '../../text/fields.ts';
import { isMigStrategy } from '../labels/mig-strategy.ts';
import type { MigStrategy } from '../labels/mig-strategy.ts';
import { parseSharing } from './sharing-parser.ts';
import type { DevicePluginConfig, SharedResource, Sharing } from './sharing.ts';

const SECTIONS: readonly string[] = ['version', 'flags', 'resources', 'sharing', 'imex', 'health'];

export type ParsedDevicePluginConfig =
  | { readonly ok: true; readonly config: DevicePluginConfig; readonly findings: readonly ConfigFinding[] }
  /** At least one finding is an error; the plugin and GFD exit with the first one's `upstream` text. */
  | { readonly ok: false; readonly findings: readonly ConfigFinding[] };

/**
 * Reads a config file of the device plugin and GFD (`version: v1`), already parsed from YAML, by upstream's rules. Upstream decodes
 * leniently, so what it ignores is a warning here, never an error.
 */
export function parseDevicePluginConfig(value: unknown): ParsedDevicePluginConfig {
  const findings = new FindingList();
  const config = readConfig(value, findings);
  const ok = findings.all.every((finding) => finding.severity !== 'error');
  return ok ? { ok, config, findings: findings.all } : { ok, findings: findings.all };
}

/** Errors and warnings for a config file, in upstream's order: the first error is the one that the plugin prints. */
export function lintDevicePluginConfig(value: unknown): readonly ConfigFinding[] {
  return parseDevicePluginConfig(value).findings;
}

/** A config file (to be written as YAML) that shares resources by time-slicing. */
export function composeDevicePluginConfig(
  strategy: MigStrategy,
  resources: readonly SharedResource[],
): Readonly<Record<string, unknown>> {
  return {
    version: 'v1',
    flags: { migStrategy: strategy },
    ...(resources.length === 0 ? {} : { sharing: { timeSlicing: { resources } } }),
  };
}

function readConfig(value: unknown, findings: FindingList): DevicePluginConfig {
  const body = findings.readObject('', value, 'v1.Config', 'must be an object with version, flags and sharing') ?? {};
  findings.warnUnknown(body, SECTIONS, '');
  const migStrategy = readMigStrategy(body['flags'], findings);
  warnResources(body['resources'], findings);
  const sharing = readSharing(body['sharing'], findings);
  checkVersion(body['version'], findings);
  return { ...(migStrategy === undefined ? {} : { migStrategy }), ...(sharing === undefined ? {} : { sharing }) };
}

function readMigStrategy(value: unknown, findings: FindingList): string | undefined {
  const flags = findings.readObject('flags', value, 'v1.Flags', 'must be an object', 'struct field Config.flags');
  const strategy = flags?.['migStrategy'];
  if (strategy === undefined || strategy === null) return undefined;
  if (!isMigStrategy(strategy)) {
    findings.warn('flags.migStrategy', 'must be none, single or mixed; GFD fails on any other');
  }
  return typeof strategy === 'string' ? strategy : undefined;
}

function warnResources(resources: unknown, findings: FindingList): void {
  const isUsed = isFields(resources) && ['gpus', 'mig'].some((key) => isNotEmptyList(resources[key]));
  if (!isUsed) return;
  findings.warn(
    'resources',
    'is ignored: resources cannot be renamed',
    "Customizing the 'resources' field is not yet supported in the config. Ignoring...",
  );
}

function isNotEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function readSharing(value: unknown, findings: FindingList): Sharing | undefined {
  const into = 'struct field Config.sharing';
  const sharing = findings.readObject('sharing', value, 'v1.Sharing', 'must be an object with timeSlicing', into);
  if (sharing === undefined) return undefined;
  findings.warnUnknown(sharing, ['timeSlicing', 'mps'], 'sharing');
  const { mps, timeSlicing } = sharing;
  // Upstream decodes mps first, and treats a null there as absent but a null in timeSlicing as an empty object.
  const byMps = mps === undefined || mps === null ? undefined : parseSharing(mps, 'mps', 'sharing.mps', findings);
  const byTime =
    timeSlicing === undefined ? undefined : parseSharing(timeSlicing, 'time-slicing', 'sharing.timeSlicing', findings);
  if (byMps !== undefined && byTime !== undefined) {
    findings.warn('sharing.timeSlicing', 'has no effect: with timeSlicing and mps in one file, mps wins silently');
  }
  return byMps ?? byTime;
}

function checkVersion(version: unknown, findings: FindingList): void {
  if (version === undefined || version === null || version === '' || version === 'v1') return;
  const text = typeof version === 'string' ? version : JSON.stringify(version);
  findings.refuseDecoded('version', `unknown version: ${text}`, 'must be v1');
}
