import { join } from 'node:path';
import type { TokenOptions } from '../control-plane/service-account-token.ts';
import type { Guard } from '../control-plane/guard.ts';
import type { NodeFiles } from './node-files.ts';
import { RigProcess } from './process.ts';
import { programPath } from './programs.ts';
import type { RigOptions } from './rig-options.ts';

/** As in config/agent: the agent has little work and must be cheap for a node. */
const agentMemorySettings = ['--optimize-for-size', '--no-opt', '--no-maglev'];
/**
 * As in config/controller: a heap that grows with retained data, not with throughput. The compiler in the middle and inlining take 25 MB
 * while they work, which the process keeps, and make an event no faster.
 */
const controllerMemorySettings = ['--optimize-for-size', '--no-maglev', '--no-turbo-inlining'];
/** Longer than any demo stays open. */
const tokenSeconds = 48 * 3600;

/** A controller that has not been started yet. */
export async function makeController(
  options: RigOptions,
  guard: Guard,
  folder: string,
  identity: string,
): Promise<RigProcess> {
  const account = ['gpu-partition-system', 'gpu-partition-controller'] as const;
  const kubeconfig = await kubeconfigFor(options, identity, account);
  const other = options.fileOf?.(identity);
  const program = [
    ...controllerMemorySettings,
    other ?? programPath('controller'),
    // Simulated plugins have no pod, unless a test says so. Another version may not know the option.
    ...(other === undefined ? ['--unknown-device-plugin', 'Await'] : []),
    '--kubeconfig',
    kubeconfig,
    '--identity',
    identity,
  ];
  const argv = [...program, ...(options.controllerArguments ?? [])];
  return new RigProcess(identity, argv, join(folder, `${identity}.log`), guard);
}

/** The agent of a node, not started yet. */
export async function makeAgent(
  options: RigOptions,
  guard: Guard,
  {
    node,
    files,
    nvidiaSmi,
    ignorePods = false,
    onChange,
  }: {
    readonly node: string;
    readonly files: NodeFiles;
    readonly nvidiaSmi: string;
    /** For a node whose kubelet does not report who holds what. */
    readonly ignorePods?: boolean;
    /** Called when the agent starts and when it has exited. */
    readonly onChange: () => void;
  },
): Promise<RigProcess> {
  const account = ['gpu-partition-agents', 'gpu-partition-agent'] as const;
  const settings = {
    'node-name': node,
    kubeconfig: await kubeconfigFor(options, node, account, { bound: { node } }),
    'nvidia-smi': nvidiaSmi,
    'state-dir': files.agentFolder,
    'machine-file': files.machine,
    'boot-id-file': files.bootId,
    'reboot-sentinel': files.rebootSentinel,
    'pod-resources-socket': files.podResourcesSocket,
  };
  const argv = Object.entries(settings).flatMap(([option, value]) => [`--${option}`, value]);
  if (ignorePods) argv.push('--ignore-pods');
  const file = options.fileOf?.(node) ?? programPath('agent');
  const program = [...agentMemorySettings, file, ...argv, ...(options.agentArguments ?? [])];
  return new RigProcess(`agent ${node}`, program, files.agentLog, guard, onChange);
}

async function kubeconfigFor(
  { controlPlane, serverOf }: RigOptions,
  program: string,
  [namespace, name]: readonly [namespace: string, name: string],
  about: TokenOptions = {},
): Promise<string> {
  const token = await controlPlane.serviceAccountToken(namespace, name, { ...about, expirationSeconds: tokenSeconds });
  const server = serverOf?.(program);
  return controlPlane.kubeconfigFile({ token, ...(server === undefined ? {} : { server }) });
}
