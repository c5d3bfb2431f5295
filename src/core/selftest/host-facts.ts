import { mapTexts } from '../text/visible-text.ts';
import { redactOutput } from './redaction.ts';

/** What a host shows of its driver beside nvidia-smi. Nothing of it is judged: it is for those who help. */
export interface HostFacts {
  /** The kernel's messages about the driver, with seconds since boot: `[12.345] NVRM: Xid (PCI:0000:07:00): 79, …`. */
  readonly kernelLog: readonly string[];
  /** Files of `/proc/driver/nvidia`, by their path in it. */
  readonly driver: Readonly<Record<string, string>>;
  /** Lines of `/proc/modules` and `/proc/devices` about the driver. */
  readonly modules: readonly string[];
  readonly deviceNodes: readonly DeviceNode[];
  readonly cdi: readonly CdiSpec[];
  /** Command lines of nvidia-ctk with what they printed; empty if there is none. */
  readonly toolkit: readonly { readonly command: string; readonly output: string }[];
  readonly podResources: readonly KubeletFact[];
  readonly cgroups: 'v1' | 'v2' | 'unknown';
  readonly services: readonly RunningService[];
  /** The last output of nvidia-smi that the agent did not understand: its file in the state folder. */
  readonly notUnderstood?: unknown;
  /** What could not be read, and why, a sentence each. */
  readonly notRead: readonly string[];
}

export interface DeviceNode {
  readonly path: string;
  readonly major: number;
  readonly minor: number;
  /** Octal: `666`. */
  readonly mode: string;
}

/** What a CDI spec names. Its mounts, hooks and environment are left out. */
export interface CdiSpec {
  readonly file: string;
  readonly kind: string;
  readonly version: string;
  readonly devices: readonly { readonly name: string; readonly nodes: readonly string[] }[];
}

/** One answer of the kubelet. */
export interface KubeletFact {
  readonly method: string;
  readonly bytes: number;
  /** Decoded, of pods with a GPU. */
  readonly answer: unknown;
  /** The whole answer as it came. It names every pod of the node: absent in a redacted bundle. */
  readonly base64?: string;
}

export interface RunningService {
  readonly name: string;
  readonly pid: number;
  /** Of systemd; absent for a container. */
  readonly unit?: string;
}

const mostLines = 300;

/**
 * The kernel's messages about the driver, newest last.
 *
 * @param records of `/dev/kmsg`: `6,1234,5678901,-;TEXT`, followed by lines of fields that begin with a space
 */
export function pickDriverMessages(records: string): readonly string[] {
  const found = records.split('\n').flatMap((record) => {
    const [, us, text = ''] = /^\d+,\d+,(\d+),[^;]*;(.*)$/.exec(record) ?? [];
    const isMeant = /\bNVRM\b|\bXid\b|nvidia|nvlink|nvswitch/i.test(text);
    return isMeant ? [`[${(Number(us) / 1e6).toFixed(3)}] ${text}`] : [];
  });
  return found.slice(-mostLines);
}

/** Names of processes in the driver's messages: `pid=4242, name=python3`. */
const processName = /(\bname=)[^,]*/g;

/** The same without names of processes and of the machine, and without pods that have no GPU. */
export function redactFacts(facts: HostFacts, hostName: string): HostFacts {
  const { kernelLog, podResources, ...rest } = facts;
  const known = {
    ...rest,
    kernelLog: kernelLog.map((line) => line.replace(processName, '$1redacted')),
    podResources: podResources.map(({ base64: _whole, ...fact }) => fact),
  };
  return mapTexts(known, (text) => redactOutput(text, hostName));
}
