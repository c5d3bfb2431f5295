import { apiVersion } from '../../api/names.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import type { FieldPath, Finding } from '../../core/text/finding.ts';
import { isConfigFile } from '../../core/migparted/config-file.ts';
import { findBrokenRules } from '../../core/policy/rules.ts';
import { checkShape } from '../../core/policy/schema.ts';
import { CliError } from '../exit.ts';
import { locatePath, type Manifest, refuseFile } from '../input/manifest.ts';
import { readManifestFile } from '../input/manifest-file.ts';
import type { Terminal } from '../terminal.ts';
import { readMigParted } from './mig-parted-layout.ts';
import type { LayoutOptions } from './node-options.ts';
import type { NodeLayout } from '../../core/host/host-layout.ts';
import { type Fields, isFields } from '../../core/text/fields.ts';

/** `export -o json` adds `device` for people and programs; it records the past state, not the wish. */
const KNOWN_FIELDS = ['layouts', 'strategy', 'device'];

/**
 * Reads the `-f` file: `layouts:` and optionally `strategy:`, a whole policy, or a config of a mig-parted file. Only its
 * form is checked; whether a layout fits is decided by the GPUs themselves, whose own tables override the built-in ones.
 *
 * @throws CliError with code 2 that names file, line, column and field of everything that is wrong
 */
export async function readLayoutFile({ filename, config }: LayoutOptions, terminal: Terminal): Promise<NodeLayout> {
  const manifest = await readManifest(filename, terminal);
  if (isConfigFile(manifest.value)) return readMigParted(manifest, config);
  if (config !== undefined)
    throw new CliError(`${manifest.file}: --config chooses a config of a mig-parted file, and this is none`);
  return readLayouts(manifest);
}

async function readManifest(path: string, terminal: Terminal): Promise<Manifest> {
  const { name, manifests } = await readManifestFile(path, terminal);
  const [manifest, second] = manifests;
  if (manifest === undefined)
    throw new CliError(`${name}: it is empty; write layouts:, or leave the GPUs alone by not applying it`);
  if (second === undefined) return manifest;
  const { line } = second.locate([]);
  throw new CliError(`${name}:${line}: a second document; a node takes one layout`);
}

function readLayouts(manifest: Manifest): NodeLayout {
  const value = isFields(manifest.value) ? manifest.value : {};
  const isPolicy = 'kind' in value;
  const outer: FieldPath = isPolicy ? ['spec'] : [];
  // The rules of a policy apply here: missing parts around the layouts are filled in.
  const policy = isPolicy ? value : wrap(value);
  const shape = checkShape(policy);
  const findings = [
    ...(isPolicy ? [] : checkFields(manifest.value)),
    ...('findings' in shape ? shape.findings : []),
    ...findBrokenRules(policy).map((rule): Finding => ({ severity: 'error', code: 'RuleBroken', ...rule })),
    ...manifest.duplicates.map((at): Finding => {
      const message = `the key ${String(at.at(-1))} is given twice`;
      return { severity: 'error', code: 'DuplicateKey', path: isPolicy ? at : ['spec', ...at], message };
    }),
  ].map((finding) => ({ ...finding, path: isPolicy ? finding.path : stripSpec(finding.path) }));
  if (findings.length > 0 || 'findings' in shape) throw refuseFile(manifest, findings);
  const { layouts, strategy, schedules }: PolicySpec = shape.policy.spec;
  if (schedules !== undefined) {
    const message =
      'a host follows no schedules, the controller does: leave them out, and apply the layouts of the night at night';
    throw refuseFile(manifest, [{ severity: 'error', code: 'InvalidField', path: [...outer, 'schedules'], message }]);
  }
  if (layouts === undefined) {
    const message =
      'a demand is for the nodes of a cluster together, and says nothing of one host: write layouts (gpu-partition recommend finds them)';
    throw refuseFile(manifest, [{ severity: 'error', code: 'InvalidField', path: [...outer, 'demand'], message }]);
  }
  return {
    layouts,
    strategy: isPolicy || 'strategy' in value ? strategy : undefined,
    locate: (place) => {
      return locatePath(manifest, [...outer, ...(place === 'strategy' ? ['strategy'] : ['layouts', place.entry])]);
    },
  };
}

/** Strategy none permits what only the device plugin's strategies forbid. */
function wrap(value: Fields): unknown {
  const { strategy = 'none' } = value;
  // `layouts:` with nothing after it; without the field, {@link checkFields} has said so.
  const layouts = 'layouts' in value ? (value['layouts'] ?? []) : [{ mig: 'Disabled' }];
  const policy: Omit<GpuPartitionPolicy, 'spec'> = {
    apiVersion,
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'node' },
  };
  return { ...policy, spec: { nodeSelector: { matchLabels: { host: 'this' } }, strategy, layouts } };
}

/** What the fields themselves are: all known, and layouts among them. */
function checkFields(value: unknown): readonly Finding[] {
  const refuseField = (path: FieldPath, message: string): Finding => ({
    severity: 'error',
    code: 'InvalidField',
    path: ['spec', ...path],
    message,
  });
  if (!isFields(value)) return [refuseField([], 'must be an object with layouts and perhaps strategy')];
  const unknown = Object.keys(value)
    .filter((key) => !KNOWN_FIELDS.includes(key))
    .map((key) => refuseField([key], `unknown field ${key}; a layout file has layouts and strategy`));
  return 'layouts' in value ? unknown : [...unknown, refuseField([], 'layouts is missing')];
}

function stripSpec(path: FieldPath): FieldPath {
  return path[0] === 'spec' ? path.slice(1) : path;
}
