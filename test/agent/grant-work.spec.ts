import { expect } from 'chai';
import { GrantClock, signalPods } from '../../src/agent/grant-work.ts';
import type { Partition } from '../../src/agent/own-partition.ts';
import type { Grant } from '../../src/api/types.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useScratchFolder } from '../device/scratch-folder.ts';

const hourMs = 3_600_000;

describe('the time of a grant', () => {
  let clock: FakeClock;
  let grants: GrantClock;
  /** How far the node's clock is ahead of the API server's. */
  let skewMs: number;

  beforeEach(() => {
    clock = new FakeClock();
    skewMs = 0;
    grants = new GrantClock(clock, () => skewMs);
  });

  /** A grant whose deadline is so far away by the API server's clock. */
  function aGrant(deadlineInMs: number, rest: Partial<Grant> = {}): Grant {
    const deadline = new Date(clock.wallMs() - skewMs + deadlineInMs).toISOString();
    return { gpus: [], epoch: 1, planHash: 'x', deadline, ...rest };
  }

  function see(granted: Grant | undefined, uid = 'uid'): void {
    const partition = { metadata: { name: 'n', uid }, spec: { nodeUID: 'n', ...(granted && { granted }) } };
    grants.see(partition as Partition);
  }

  it('is counted from when the grant was seen, wrong as the clock of the node may be', async () => {
    for (const clockErrorMs of [-hourMs, 0, hourMs]) {
      const grant = aGrant(60_000, { seconds: 60, epoch: 1 + clockErrorMs });
      see(grant);
      clock.shiftWall(clockErrorMs);
      skewMs += clockErrorMs;
      await clock.advance(60_000);
      expect(grants.explainEnd(grant)).to.equal(undefined);
      await clock.advance(1);
      expect(grants.explainEnd(grant)).to.match(/its 60 s are over/);
    }
  });

  it('does not start over when the same grant is seen again', async () => {
    see(undefined);
    const grant = aGrant(hourMs, { seconds: 60 });
    see(grant);
    await clock.advance(50_000);
    see(grant);
    await clock.advance(11_000);
    expect(grants.explainEnd(grant)).to.match(/over/);
  });

  it('begins with each grant, and with each object of the name', async () => {
    see(undefined);
    const grant = aGrant(hourMs, { seconds: 60 });
    see(grant);
    await clock.advance(61_000);
    see({ ...grant, epoch: 2 });
    expect(grants.explainEnd({ ...grant, epoch: 2 })).to.equal(undefined);
    await clock.advance(61_000);
    see({ ...grant, epoch: 2 }, 'another');
    expect(grants.explainEnd({ ...grant, epoch: 2 })).to.equal(undefined);
  });

  it('is over when the deadline has passed by its whole length, however late the grant is seen', () => {
    const recent = aGrant(-59_000, { seconds: 60 });
    see(recent);
    expect(grants.explainEnd(recent)).to.equal(undefined);
    const old = aGrant(-61_000, { seconds: 60, epoch: 2 });
    see(old);
    expect(grants.explainEnd(old)).to.match(/its deadline .* passed 61 s ago by the API server's clock/);
  });

  it('is the deadline’s for a grant without seconds', () => {
    see(undefined);
    expect(grants.explainEnd(aGrant(1))).to.equal(undefined);
    expect(grants.explainEnd(aGrant(-1))).to.match(/its deadline .* passed/);
  });
});

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
