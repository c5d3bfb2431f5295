import { Command, Option } from 'commander';
import { parse } from 'yaml';
import { configMaps, events, ownDefinitions } from '../../api/resources.ts';
import { listGpuNodes } from '../../core/cluster/facts.ts';
import { diagnoseCluster, type DoctorFacts, listPluginConfigMaps } from '../../core/explain/doctor.ts';
import { diagnoseHost } from '../../core/explain/doctor-host.ts';
import { defaultSystemNamespaces } from '../../core/kubernetes/pod.ts';
import { isSubdomain } from '../../core/text/syntax.ts';
import { countWords, findNearestWords, wrapHanging } from '../../core/text/words.ts';
import type { NvidiaSmi } from '../../device/nvidia-smi.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/watch.ts';
import { list, programVersion } from '../../process/options.ts';
import {
  addConnectionOptions,
  connect,
  type ConnectionOptions,
  findAllowed,
  listAllowed,
} from '../cluster/connection.ts';
import { readFacts } from '../cluster/facts.ts';
import {
  type ConfigMapView,
  readSnapshot,
  type SavedCluster,
  type SavedEvent,
  snapshotCommand,
} from '../input/snapshot.ts';
import { addNodeOptions, type NodeCommandOptions, openHost, readHost } from '../node/host.ts';
import { readPath } from '../options.ts';
import type { CommandContext } from '../program.ts';
import { type HostView, readHostFacts, readNumaNodes, thisHost } from '../selftest/host-facts.ts';
import { CliError, paint, printJson, printLine, type Terminal } from '../terminal.ts';

interface Options extends ConnectionOptions, NodeCommandOptions {
  readonly snapshot?: readonly string[];
  readonly systemNamespaces: readonly string[];
  readonly host?: boolean;
  readonly podResourcesSocket: string;
}

/** The command that saves all that the doctor reads. */
const saveCommand = snapshotCommand.replace(',pdb', ',pdb,events,configmaps');

export function doctorCommand({ terminal, outcome }: CommandContext): Command {
  const command = addConnectionOptions(new Command('doctor'))
    .description(
      'Finds what is wrong around the GPUs of a cluster: other owners, what mig-manager has left, sick GPUs, labels and settings that do not match, ' +
        'traps of autoscalers, versions and clocks. Each finding has its evidence and what to do. Changes nothing.',
    )
    .argument('[node]', 'name of a node: only this one')
    .option('--snapshot <file...>', `read a saved cluster instead: ${saveCommand}; or a support bundle`)
    .addOption(
      new Option('--system-namespaces <names>', 'value of the controller: namespaces of the GPU software')
        .argParser(list)
        .default(defaultSystemNamespaces, defaultSystemNamespaces.join(',')),
    )
    .addOption(
      new Option('--host', 'look at this machine instead, without Kubernetes').conflicts([
        'snapshot',
        'kubeconfig',
        'context',
      ]),
    )
    .option(
      '--pod-resources-socket <file>',
      'with --host: PodResources socket of a kubelet; used if it exists',
      readPath,
      '/var/lib/kubelet/pod-resources/kubelet.sock',
    );
  return addNodeOptions(command).action(async (node: string | undefined, options: Options) => {
    const { host, nvidiaSmi, driverRoot, output } = options;
    if (host !== true && (nvidiaSmi ?? driverRoot) !== undefined)
      throw new CliError('--nvidia-smi and --driver-root are for --host');
    const strange = options.systemNamespaces.find((name) => !isSubdomain(name));
    if (strange !== undefined)
      throw new CliError(`--system-namespaces: ${JSON.stringify(strange)} is not the name of a namespace`);
    if (host === true && node !== undefined) throw new CliError('give a node or --host, not both');
    const found = host === true ? await diagnoseMachine(options, terminal) : await diagnose(node, options, terminal);
    if (found.diagnosis.findings.length > 0) outcome.code = 1;
    else if (!found.isKnown) outcome.code = 3;
    if (output === 'json') printJson(terminal, found.diagnosis);
    else printDiagnosis(terminal, found.diagnosis);
  });
}

type Diagnosis = ReturnType<typeof diagnoseCluster>;

/** @param isKnown whether an answer without findings says that nothing is wrong */
interface Found {
  readonly diagnosis: Diagnosis;
  readonly isKnown: boolean;
}

async function diagnose(node: string | undefined, options: Options, terminal: Terminal): Promise<Found> {
  const { snapshot, systemNamespaces } = options;
  const facts = await (snapshot
    ? readSnapshot(snapshot, terminal).then(factsOfSaved)
    : readLive(connect(options), systemNamespaces));
  demandGpuNode(facts, node);
  return {
    diagnosis: diagnoseCluster({ ...facts, systemNamespaces }, node),
    isKnown: facts.pods !== undefined,
  };
}

/** @throws CliError if there is no such node, or it has no GPU */
function demandGpuNode(facts: DoctorFacts, node: string | undefined): void {
  if (node === undefined) return;
  const names = listGpuNodes(facts).map(({ name }) => name);
  if (names.includes(node)) return;
  const isThere = facts.nodes.some(({ metadata }) => metadata.name === node);
  const near = findNearestWords(node, names);
  const hint =
    near.length > 0 ? `; did you mean ${near.join(', ')}?` : `; ${countWords(names.length, 'node')} with GPUs`;
  throw new CliError(isThere ? `node ${node} has no GPUs${hint}` : `there is no node ${node}${hint}`);
}

/** A saved cluster, as the doctor looks at it. */
export function factsOfSaved(saved: SavedCluster): DoctorFacts {
  return {
    ...saved,
    // None at all: they were not saved. Every cluster has some.
    events: saved.events.length > 0 ? saved.events : undefined,
    configFiles: parseFiles(saved.configMaps ?? []),
    crds: saved.crds,
    version: programVersion,
  };
}

async function readLive(client: KubeClient, systemNamespaces: readonly string[]): Promise<DoctorFacts> {
  const facts = await readFacts(client);
  const noScaleUp = { fieldSelector: 'reason=NotTriggerScaleUp' };
  const found = await listAllowed<SavedEvent & KubeObject>(client, events, noScaleUp);
  const maps: (ConfigMapView & KubeObject)[] = [];
  for (const place of listPluginConfigMaps({ ...facts, systemNamespaces })) {
    const [namespace = '', name = ''] = place.split('/');
    const selection = { namespace, fieldSelector: `metadata.name=${name}` };
    maps.push(...((await listAllowed<ConfigMapView & KubeObject>(client, configMaps, selection)) ?? []));
  }
  const crds = await readCrds(client);
  return { ...facts, events: found, configFiles: parseFiles(maps), crds, version: programVersion };
}

type Definition = NonNullable<DoctorFacts['crds']>[number] & KubeObject;

/** Reads our CRDs; undefined if the user may not read one. */
async function readCrds(client: KubeClient): Promise<DoctorFacts['crds']> {
  const found = await Promise.all(ownDefinitions.map((ref) => findAllowed<Definition>(client, ref)));
  const crds = found.flatMap((crd) => crd ?? []);
  return crds.length < found.length ? undefined : crds;
}

function parseFiles(maps: readonly ConfigMapView[]): DoctorFacts['configFiles'] {
  return new Map(
    maps.map(({ metadata, data = {} }) => [
      `${metadata.namespace}/${metadata.name}`,
      Object.fromEntries(Object.entries(data).map(([key, text]) => [key, parseText(text)])),
    ]),
  );
}

/** @returns the text itself if it is not YAML, which the device plugin refuses too */
function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

async function diagnoseMachine(options: Options, terminal: Terminal): Promise<Found> {
  const driver = openHost(options, terminal);
  return { diagnosis: diagnoseHost(await readMachine(driver, options, thisHost, terminal.cwd)), isKnown: true };
}

/** Reads what a machine shows of its GPUs. @throws CliError with code 3 if they cannot be read */
export async function readMachine(
  driver: NvidiaSmi,
  options: Pick<Options, 'podResourcesSocket' | 'nvidiaSmi' | 'driverRoot'>,
  host: HostView,
  cwd: string,
): Promise<Parameters<typeof diagnoseHost>[0]> {
  const device = await readHost(driver);
  return {
    device,
    host: await readHostFacts({ ...options, stateDir: '/var/lib/gpu-partition' }, host, cwd),
    numa: readNumaNodes(device.gpus, host),
  };
}

/** The most findings of one code that people are shown. */
const mostShown = 5;
const width = 80;

function printDiagnosis({ stdout }: Terminal, { findings, notChecked }: Diagnosis): void {
  for (const [code, all] of Map.groupBy(findings, (finding) => finding.code)) {
    for (const { node, evidence, remedy } of all.slice(0, mostShown)) {
      const about = node === undefined ? '' : `  ${paint(stdout, 'bold', node)}`;
      printLine(stdout, `${paint(stdout, 'red', code)}${about}`);
      for (const line of wrapHanging(`  ${evidence}`, width, '  ')) printLine(stdout, line);
      // In one piece, to be copied.
      printLine(stdout, `  -> ${remedy}`);
    }
    if (all.length > mostShown) printLine(stdout, `${code}: ${all.length - mostShown} more (-o json has all)`);
  }
  for (const [why, all] of Map.groupBy(notChecked, (one) => one.why)) {
    const codes = [...new Set(all.map(({ code }) => code))].join(', ');
    const nodes = all.flatMap(({ node }) => node ?? []);
    const where = nodes.length === 0 ? '' : ` (${nodes.slice(0, 3).join(', ')}${nodes.length > 3 ? ', …' : ''})`;
    for (const line of wrapHanging(`not checked: ${codes}${where}: ${why}`, width, '  ')) printLine(stdout, line);
  }
  const style = findings.length === 0 ? 'green' : 'red';
  const words = findings.length === 0 ? 'no finding' : countWords(findings.length, 'finding');
  printLine(stdout, paint(stdout, style, words));
}
