// Room host: one host without Kubernetes, and the files that people bring or send: what they say, never how they are read or written.
// Ask here for a unit that gives a machine the layouts of a policy before its kubelet starts.
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { isPlanned } from '../policy/spec.ts';
import { joinWords } from '../text/words.ts';

/** What installs the unit on a machine. */
export const bootFormats = ['systemd', 'cloud-init', 'ignition'] as const;
type BootFormat = (typeof bootFormats)[number];

interface BootOptions {
  readonly format: BootFormat;
  /** Path of the command on the machine, as one file that needs no Node.js. */
  readonly executable: string;
}

/** What makes a machine partition its GPUs before its kubelet starts. */
interface ExportedBoot {
  /** In words for people, a line each. */
  readonly notes: readonly string[];
  /** Text of a unit, or the object that a format wants. */
  readonly content: string | object;
}

const unitName = 'gpu-partition.service';

/**
 * Describes a boot in which the layouts are made before the kubelet starts. The agent, which the kubelet starts, finds what it wants and
 * adopts it without an operation. In words why that cannot be.
 */
export function exportBoot(policy: GpuPartitionPolicy, { format, executable }: BootOptions): ExportedBoot | string {
  const { layouts, strategy, allow } = policy.spec;
  if (layouts === undefined)
    return 'it has a demand: which slices this machine gets depends on the whole pool, and the agent makes them after each boot';
  const unit = writeUnit(JSON.stringify({ strategy, layouts }), executable, allow?.gpuReset !== false);
  const notes = listNotes(policy, executable);
  switch (format) {
    case 'systemd':
      return { notes, content: unit };
    case 'cloud-init':
      return {
        notes: [...notes, 'What joins the machine to its cluster must come after these commands.'],
        content: {
          write_files: [{ path: `/etc/systemd/system/${unitName}`, permissions: '0644', content: unit }],
          runcmd: [
            ['systemctl', 'daemon-reload'],
            ['systemctl', 'enable', '--now', unitName],
          ],
        },
      };
    case 'ignition':
      return {
        notes,
        content: {
          ignition: { version: '3.4.0' },
          systemd: { units: [{ name: unitName, enabled: true, contents: unit }] },
        },
      };
  }
}

function listNotes(policy: GpuPartitionPolicy, executable: string): readonly string[] {
  const schedules = (policy.spec.schedules ?? []).map(({ name }) => name);
  return [
    `Policy ${policy.metadata.name}: its layouts, made at each boot before the kubelet starts. Export again when they change.`,
    `The machine’s image has the driver with nvidia-smi, and ${executable}: the file of a release that needs no Node.js.`,
    ...(isPlanned(policy) ? ['The policy is in mode Plan, but this unit changes GPUs.'] : []),
    ...(schedules.length === 0
      ? []
      : [`While ${joinWords(schedules)} applies, the agent makes other slices after the boot.`]),
  ];
}

const kubelets = ['kubelet', 'k3s', 'k3s-agent', 'rke2-server', 'rke2-agent'].map((name) => `${name}.service`);

/**
 * It runs before the first kubelet of a boot, else not at all: later, the GPUs are the agent's. So there is no pod that it could ask for, and
 * nobody to ask: the socket of the last boot's kubelet is still there. The layout comes by standard input: the unit is all that a machine needs.
 */
function writeUnit(layout: string, executable: string, mayReset: boolean): string {
  const reset = mayReset ? ' --allow-gpu-reset' : '';
  return `[Unit]
Description=Partition the GPUs of this machine with MIG before its kubelet starts
After=systemd-modules-load.service systemd-udev-settle.service local-fs.target
Before=${kubelets.join(' ')} nvidia-dcgm.service dcgm-exporter.service

[Service]
Type=oneshot
RemainAfterExit=yes
# For lock and journal.
StateDirectory=gpu-partition
StandardInput=data
StandardInputText=${layout.replaceAll('\\', '\\\\').replaceAll('%', '%%')}
# Not once a kubelet has run in this boot: then the GPUs are the agent's.
ExecCondition=/bin/sh -c 'test -z "$$(systemctl show --value -p ActiveEnterTimestamp ${kubelets.join(' ')})"'
# The driver may take a while.
ExecStartPre=-/bin/sh -c 'timeout 60 sh -c "until nvidia-smi -L; do sleep 1; done"'
ExecStart=${executable} node apply -f - --ignore-pods --deadline 300${reset}
TimeoutStartSec=540
KillMode=mixed
TimeoutStopSec=120
ProtectSystem=strict
ReadWritePaths=-/run/cdi
ProtectHome=yes

[Install]
WantedBy=multi-user.target
`;
}
