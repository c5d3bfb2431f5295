import { holderOccasions, defaultHolders } from './gpu-holders.ts';
import type { HolderOccasion, GpuHolder } from './gpu-holders.ts';
import { isBorrowable } from '../metadata/borrowed-labels.ts';
import { isFields } from '../text/fields.ts';

const fields: readonly string[] = ['name', 'deployLabel', 'podLabels', 'container', 'goes'];
/** Labels of gpu-operator; the part after the prefix is a holder's name there. */
const operatorLabel = /^nvidia\.com\/gpu\.deploy\.[a-z0-9.-]+$/;
/** `PREFIX/NAME` as Kubernetes accepts it for a label key, the prefix a DNS subdomain. */
const qualifiedKey = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
/** What the controller's admission policy allows it to write (config/rbac/controller-admission.yaml). */
const ownDomains = ['nvidia.com/', 'gpupartition.dev/'];
const labelKey = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * The GPU holders of a `--gpu-clients` file, already parsed from YAML: {@link defaultHolders}, each replaced by the file's entry
 * with its name, followed by the file's others. A string describes what is wrong with the file.
 */
export function checkHolders(value: unknown): readonly GpuHolder[] | string {
  if (!isFields(value)) return 'must be an object with a list "clients"';
  const unknown = Object.keys(value).find((key) => key !== 'clients');
  if (unknown !== undefined) return `unknown field ${quote(unknown)}; known: clients`;
  const entries = value['clients'];
  if (!Array.isArray(entries)) return 'clients: must be a list';
  const holders: GpuHolder[] = [];
  for (const [index, entry] of entries.entries()) {
    const holder = checkHolder(entry, `clients[${index}]`);
    if (typeof holder === 'string') return holder;
    const first = holders.findIndex(({ name }) => name === holder.name);
    if (first >= 0) return `clients[${index}].name: ${quote(holder.name)} is already the name of clients[${first}]`;
    holders.push(holder);
  }
  return mergeHolders(holders);
}

function mergeHolders(holders: readonly GpuHolder[]): readonly GpuHolder[] {
  const kept = defaultHolders.map((standard) => holders.find(({ name }) => name === standard.name) ?? standard);
  return [...kept, ...holders.filter((holder) => !kept.includes(holder))];
}

function checkHolder(entry: unknown, path: string): GpuHolder | string {
  if (!isFields(entry)) return `${path}: must be an object with ${fields.join(', ')}`;
  const unknown = Object.keys(entry).find((key) => !fields.includes(key));
  if (unknown !== undefined) return `${path}: unknown field ${quote(unknown)}; known: ${fields.join(', ')}`;
  const { name, deployLabel, podLabels, container, goes } = entry;
  if (typeof name !== 'string' || name === '') return `${path}.name: must be a non-empty string`;
  const at = `${path} (${name})`;
  if (deployLabel === undefined && podLabels === undefined && container === undefined)
    return `${at}: needs deployLabel, podLabels or container, or several of them`;
  if (container !== undefined && (typeof container !== 'string' || container === ''))
    return `${at}.container: must be the name of a container`;
  const wrong =
    (deployLabel === undefined ? undefined : findDeployLabelError(deployLabel, `${at}.deployLabel`)) ??
    (podLabels === undefined ? undefined : findPodLabelsError(podLabels, `${at}.podLabels`)) ??
    findOccasionError(goes, `${at}.goes`);
  if (wrong !== undefined) return wrong;
  return {
    name,
    ...(typeof deployLabel === 'string' ? { deployLabel } : {}),
    ...(isTextMap(podLabels) ? { podLabels } : {}),
    ...(typeof container === 'string' ? { container } : {}),
    goes: isOccasionList(goes) ? goes : [],
  };
}

function findDeployLabelError(value: unknown, at: string): string | undefined {
  if (typeof value === 'string' && (operatorLabel.test(value) || qualifiedKey.test(value))) {
    if (isBorrowable(value) && ownDomains.some((domain) => value.startsWith(domain))) return undefined;
    return `${at}: ${quote(value)} is never changed: the controller may only change labels of ${ownDomains.join(' and ')}`;
  }
  return `${at}: must be a label key with a prefix, such as nvidia.com/gpu.deploy.client; found ${quote(value)}`;
}

function findPodLabelsError(value: unknown, at: string): string | undefined {
  if (!isTextMap(value) || Object.keys(value).length === 0) {
    return `${at}: must be an object of label key to value, not empty; found ${quote(value)}`;
  }
  const wrong = Object.entries(value).find(([key, text]) => !labelKey.test(key) || !labelValue.test(text));
  return wrong === undefined ? undefined : `${at}: ${quote(wrong.join('='))} is not a label`;
}

function findOccasionError(value: unknown, at: string): string | undefined {
  const hint = `must be a list of ${holderOccasions.join(', ')}; [] for a client that stays`;
  if (!Array.isArray(value)) return `${at}: ${hint}`;
  const wrong: unknown = value.find((item) => !isOccasion(item));
  return isOccasionList(value) ? undefined : `${at}: unknown occasion ${quote(wrong)}; ${hint}`;
}

function isOccasion(value: unknown): value is HolderOccasion {
  return holderOccasions.some((occasion) => occasion === value);
}

function isOccasionList(value: unknown): value is readonly HolderOccasion[] {
  return Array.isArray(value) && value.every(isOccasion);
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isFields(value) && Object.values(value).every((item) => typeof item === 'string');
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
