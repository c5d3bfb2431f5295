import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signalPods } from '../../src/agent/signal-pods.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';

const uid = '6f9c1f0e-1111-4222-8333-444455556666';
const other = '0a0a0a0a-1111-4222-8333-444455556666';
const systemd = (pod: string): string =>
  `0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod${pod.replaceAll('-', '_')}.slice/cri-1.scope\n`;
const cgroupfs = (pod: string): string => `12:cpu:/kubepods/besteffort/pod${pod}/0123abcd\n0::/\n`;

describe('the signal to a device plugin', () => {
  const scratch = useScratchFolder();

  async function send(
    name: string,
    processes: Readonly<Record<number, readonly [cmdline: string, cgroup: string]>>,
    kill: (pid: number) => void = () => undefined,
  ): Promise<{ readonly pids: readonly number[]; readonly uids: readonly string[] }> {
    const proc = scratch.path(name);
    for (const [pid, [cmdline, cgroup]] of Object.entries(processes)) {
      mkdirSync(join(proc, pid), { recursive: true });
      writeFileSync(join(proc, pid, 'cmdline'), cmdline);
      writeFileSync(join(proc, pid, 'cgroup'), cgroup);
    }
    mkdirSync(join(proc, 'sys'), { recursive: true });
    const pids: number[] = [];
    const uids = await signalPods([uid], {
      proc,
      kill: (pid) => {
        kill(pid);
        pids.push(pid);
      },
    });
    return { pids, uids };
  }

  it('reaches the plugin’s process in the pod that was named, by its cgroup of either driver', async () => {
    for (const [driver, cgroup] of Object.entries({ systemd: systemd(uid), cgroupfs: cgroupfs(uid) })) {
      const sent = await send(driver, { 41: ['/usr/bin/nvidia-device-plugin\0--pass-device-specs\0', cgroup] });
      expect(sent).to.deep.equal({ pids: [41], uids: [uid] });
    }
  });

  it('reaches nobody else: not another pod’s plugin, not what else runs in the pod, not a program that only says so', async () => {
    const sent = await send('others', {
      41: ['nvidia-device-plugin\0', systemd(other)],
      42: ['/usr/bin/config-manager\0nvidia-device-plugin\0', systemd(uid)],
      43: ['/pause\0', systemd(uid)],
      44: ['nvidia-device-plugin\0', `0::/user.slice/pod${uid}-mine\n`],
      45: ['', systemd(uid)],
    });
    expect(sent).to.deep.equal({ pids: [], uids: [] });
  });

  it('is not said to be sent where the process has ended meanwhile', async () => {
    const sent = await send('ended', { 41: ['nvidia-device-plugin\0', systemd(uid)] }, () => {
      throw new Error('ESRCH');
    });
    expect(sent.uids).to.deep.equal([]);
  });
});
