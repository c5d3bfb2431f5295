// Room nvidia: what NVIDIA's own programs on a node read, label and advertise.
// Ask here for the programs that hold GPUs without requesting them, and when they go.
import { isBorrowable } from '../kubernetes/node.ts';
import { isFields } from '../text/json.ts';

/**
 * Occasions on which the pods of a client must go: a change of MIG mode or a reset (`ModeChange`), a change that failed because the GPU is
 * in use (`InUse`), every change once it is done, to read the devices again (`AfterChange`).
 */
const clientOccasions = ['AfterChange', 'ModeChange', 'InUse'] as const;
type ClientOccasion = (typeof clientOccasions)[number];

/** A program on GPU nodes that holds GPUs without requesting them: it keeps NVML open, or remembers previous devices. */
export interface GpuClient {
  readonly name: string;
  /** Label by which its DaemonSet selects nodes, `true` where it runs: changing the value removes it. */
  readonly deployLabel?: string;
  /** Labels of its pods. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Name of a container that identifies its pods, if others have the same labels. */
  readonly container?: string;
  /** Occasions on which its pods must go; if empty, they never have to. */
  readonly goes: readonly ClientOccasion[];
}

/** Value that mig-manager gives a deploy label while MIG changes; other tools know it (mig-parted `cmd/nvidia-mig-manager`). */
export const pausedForMigChange = 'paused-for-mig-change';

export const pluginDeployLabel = 'nvidia.com/gpu.deploy.device-plugin';
/** The label with which gpu-operator's GPUCluster deploys the DRA driver. */
export const driverDeployLabel = 'nvidia.com/gpu.deploy.dra-driver';

const always: readonly ClientOccasion[] = ['AfterChange', 'ModeChange', 'InUse'];

/**
 * The clients that mig-manager pauses, under the labels of gpu-operator. The device plugin does not go after a change: its restart
 * is the refresh with which every change ends.
 */
export const defaultClients: readonly GpuClient[] = [
  { name: 'device-plugin', deployLabel: pluginDeployLabel, goes: ['ModeChange', 'InUse'] },
  // It has to unprepare the claims of pods that go, and opens NVML only for a moment: away only where a GPU stays in use.
  { name: 'dra-driver', deployLabel: driverDeployLabel, goes: ['InUse'] },
  // The device plugin's chart gives the pods of both the same labels.
  {
    name: 'gpu-feature-discovery',
    deployLabel: 'nvidia.com/gpu.deploy.gpu-feature-discovery',
    container: 'gpu-feature-discovery-ctr',
    goes: always,
  },
  { name: 'dcgm', deployLabel: 'nvidia.com/gpu.deploy.dcgm', goes: always },
  {
    name: 'dcgm-exporter',
    deployLabel: 'nvidia.com/gpu.deploy.dcgm-exporter',
    podLabels: { 'app.kubernetes.io/name': 'dcgm-exporter' },
    goes: always,
  },
  // The same two where a GPUCluster of gpu-operator (26.7) deploys them beside the DRA driver.
  { name: 'dcgm-dra', deployLabel: 'nvidia.com/gpu.deploy.dcgm-dra', goes: always },
  { name: 'dcgm-exporter-dra', deployLabel: 'nvidia.com/gpu.deploy.dcgm-exporter-dra', goes: always },
  { name: 'nvsm', deployLabel: 'nvidia.com/gpu.deploy.nvsm', goes: ['ModeChange', 'InUse'] },
  { name: 'client', deployLabel: 'nvidia.com/gpu.deploy.client', goes: ['ModeChange', 'InUse'] },
];

const fields: readonly string[] = ['name', 'deployLabel', 'podLabels', 'container', 'goes'];
/** Labels of gpu-operator; the part after the prefix is a client's name there. */
const operatorLabel = /^nvidia\.com\/gpu\.deploy\.[a-z0-9.-]+$/;
/** `PREFIX/NAME` as Kubernetes accepts it for a label key, the prefix a DNS subdomain. */
const qualifiedKey = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
/** What the controller's admission policy allows it to write (config/rbac/controller-admission.yaml). */
const ownDomains = ['nvidia.com/', 'gpupartition.dev/'];
const labelKey = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * The GPU clients of a `--gpu-clients` file, already parsed from YAML: {@link defaultClients}, each replaced by the file's entry
 * with its name, followed by the file's others. A string describes what is wrong with the file.
 */
export function checkClients(value: unknown): readonly GpuClient[] | string {
  if (!isFields(value)) return 'must be an object with a list "clients"';
  const unknown = Object.keys(value).find((key) => key !== 'clients');
  if (unknown !== undefined) return `unknown field ${quote(unknown)}; known: clients`;
  const entries = value['clients'];
  if (!Array.isArray(entries)) return 'clients: must be a list';
  const clients: GpuClient[] = [];
  for (const [index, entry] of entries.entries()) {
    const client = checkClient(entry, `clients[${index}]`);
    if (typeof client === 'string') return client;
    const first = clients.findIndex(({ name }) => name === client.name);
    if (first >= 0) return `clients[${index}].name: ${quote(client.name)} is already the name of clients[${first}]`;
    clients.push(client);
  }
  return mergeClients(clients);
}

function mergeClients(clients: readonly GpuClient[]): readonly GpuClient[] {
  const kept = defaultClients.map((standard) => clients.find(({ name }) => name === standard.name) ?? standard);
  return [...kept, ...clients.filter((client) => !kept.includes(client))];
}

function checkClient(entry: unknown, path: string): GpuClient | string {
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
  const hint = `must be a list of ${clientOccasions.join(', ')}; [] for a client that stays`;
  if (!Array.isArray(value)) return `${at}: ${hint}`;
  const wrong: unknown = value.find((item) => !isOccasion(item));
  return isOccasionList(value) ? undefined : `${at}: unknown occasion ${quote(wrong)}; ${hint}`;
}

function isOccasion(value: unknown): value is ClientOccasion {
  return clientOccasions.some((occasion) => occasion === value);
}

function isOccasionList(value: unknown): value is readonly ClientOccasion[] {
  return Array.isArray(value) && value.every(isOccasion);
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isFields(value) && Object.values(value).every((item) => typeof item === 'string');
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
