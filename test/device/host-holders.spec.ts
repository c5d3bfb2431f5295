import { expect } from 'chai';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { applyNode, type DeviceApplyOptions, type GpuResult } from '../../src/device/apply.ts';
import { listGpuOpeners } from '../../src/device/host/openers.ts';
import { HostLoans, type HostUnits, LoanNote, PersistenceMode } from '../../src/device/host/loans.ts';
import { type Clock, systemClock } from '../../src/process/clock.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { useScratchFolder } from './scratch-folder.ts';
import { InProcessNode } from './simulated-node.ts';

describe('who keeps a GPU open on its host', () => {
  const scratch = useScratchFolder();

  function aProcess(pid: number, name: string, cgroup: string, ...files: readonly string[]): void {
    const folder = scratch.path('proc', String(pid));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(`${folder}/fd`, { recursive: true });
    writeFileSync(`${folder}/comm`, `${name}\n`);
    writeFileSync(`${folder}/cgroup`, `0::${cgroup}\n`);
    files.forEach((file, at) => symlinkSync(file, `${folder}/fd/${at}`));
  }

  /** The kernel's own devices stand in for GPUs: `/dev/null` is 1:3, `/dev/zero` 1:5. */
  const nullMinor = 3;
  const zeroMinor = 5;
  const where = { proc: scratch.path('proc'), modules: scratch.path('modules') };
  const callMajorOne = (name: string): void =>
    writeFileSync(
      scratch.path('proc', 'devices'),
      `Character devices:\n  1 ${name}\n  5 tty\n\nBlock devices:\n  1 ramdisk\n`,
    );

  it('is named with pid and unit, or pod, by the numbers of the devices that are open', () => {
    aProcess(812, 'nv-hostengine', '/system.slice/nvidia-dcgm.service', '/dev/zero', '/dev/null');
    aProcess(900, 'dcgm-exporter', '/kubepods.slice/kubepods-pod1234_ab.slice/cri-1.scope', '/dev/null');
    aProcess(901, 'other', '/user.slice', '/dev/zero');
    for (const name of ['nvidia', 'nvidia-frontend']) {
      callMajorOne(name);
      expect(listGpuOpeners(nullMinor, where)).to.deep.equal([
        'nv-hostengine (pid 812, nvidia-dcgm.service)',
        'dcgm-exporter (pid 900, a pod)',
      ]);
      expect(listGpuOpeners(zeroMinor, where)).to.have.length(2);
      expect(listGpuOpeners(undefined, where)).to.have.length(3);
    }
    mkdirSync(scratch.path('modules', 'nvidia_drm'), { recursive: true });
    expect(listGpuOpeners(7, where)).to.deep.equal(['the module nvidia_drm (modprobe -r nvidia_drm unloads it)']);
  });

  it('is found under whatever name a container gives the device, and no file that is only called like one', () => {
    const idle = { ...where, modules: scratch.path('no-modules') };
    const alias = scratch.path('driver-dev-gpu');
    symlinkSync('/dev/null', alias);
    rmSync(scratch.path('proc'), { recursive: true });
    aProcess(812, 'in-container', '/', alias);
    const file = scratch.path('backup', 'dev');
    mkdirSync(file, { recursive: true });
    writeFileSync(`${file}/nvidia3`, '');
    aProcess(813, 'tar', '/', `${file}/nvidia3`);
    callMajorOne('nvidia');
    expect(listGpuOpeners(nullMinor, idle)).to.deep.equal(['in-container (pid 812)']);
    callMajorOne('mem');
    expect(listGpuOpeners(nullMinor, idle)).to.deep.equal([]);
  });
});

/** A GPU that a service holds as long as it runs: MIG mode stays pending, and a reset is refused. */
function aHeldGpu(isHeld: () => boolean, gpu = 'A30'): InProcessNode {
  const node = new InProcessNode([gpu]);
  node.intercept = (_args, run) => {
    node.faults = isHeld() ? 'migpending rc=19\nfail GpuReset rc=19' : '';
    return run();
  };
  return node;
}

async function slice(node: InProcessNode, options: DeviceApplyOptions): Promise<GpuResult | undefined> {
  const target = { uuid: node.uuid(0), want: {} };
  return (await applyNode(node.openDriver(), [target], options)).results[0];
}

describe('a change of MIG mode that services of the host hold up', () => {
  it('names them', async () => {
    const node = aHeldGpu(() => true);
    const asked: (number | undefined)[] = [];
    const listOpeners = (minor: number | undefined): readonly string[] => {
      asked.push(minor);
      return ['nv-hostengine (pid 812, nvidia-dcgm.service)'];
    };
    for (const allowReset of [false, true]) {
      const result = await slice(node, { allowReset, listOpeners });
      expect(result?.error?.code).to.equal('Pending');
      expect(result?.error?.holders).to.deep.equal(['nv-hostengine (pid 812, nvidia-dcgm.service)']);
    }
    expect(asked).to.deep.equal([0, 0]);
  });

  it('is done with those stopped that may be, and they run again', async () => {
    let isRunning = true;
    const node = aHeldGpu(() => isRunning, 'H100-80GB-HBM3');
    const host = hostOf(node, {
      borrow: () => Promise.resolve(!(isRunning = false)),
      giveBack: () => Promise.resolve(((isRunning = true), [])),
    });
    expect((await slice(node, { host }))?.outcome).to.equal('Applied');
    expect(isRunning).to.equal(true);
  });

  it('starts them again even if that did not help, and if none of them was active', async () => {
    let stopped = 0;
    let started = 0;
    const node = aHeldGpu(() => true);
    const giveBack = () => Promise.resolve(((started += 1), []));
    const borrow = () => Promise.resolve((stopped += 1) > 0);
    const held = await slice(node, { host: hostOf(node, { borrow, giveBack }) });
    expect([held?.error?.code, stopped, started]).to.deep.equal(['Pending', 1, 1]);
    const idle = await slice(node, { host: hostOf(node, { borrow: () => Promise.resolve(false), giveBack }) });
    expect(idle?.error?.code).to.equal('Pending');
  });
});

describe('a service that does not start again, and takes a minute to say so', () => {
  it('is tried again after a rest from its last attempt: readings of the GPUs in between do not wait for it', async () => {
    const clock = new FakeClock();
    let attempts = 0;
    const giveBack = async (): Promise<readonly string[]> => {
      attempts += 1;
      await clock.advance(60_000);
      return ['the service nvsm.service was stopped for a change and does not start'];
    };
    const host = hostOf(new InProcessNode(['A30']), { borrow: () => Promise.resolve(true), giveBack }, clock);
    await host.startUnits();
    await host.giveBack();
    expect(attempts, 'right after the change').to.equal(1);
    await clock.advance(30_000);
    await host.giveBack();
    await host.giveBack();
    expect(attempts, 'after the rest').to.equal(2);
  });
});

function hostOf(
  node: InProcessNode,
  units: Pick<HostUnits, 'borrow' | 'giveBack'>,
  clock: Clock = systemClock,
): HostLoans {
  return new HostLoans({ persistence: new PersistenceMode(node.openDriver(), new LoanNote()), units, clock });
}
