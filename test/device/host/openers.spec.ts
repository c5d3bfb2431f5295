import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync, symlinkSync } from 'node:fs';
import {
  refreshDeviceNodes,
  type DeviceNodeOptions,
  explainHiddenProcesses,
} from '../../../src/device/host/openers.ts';
import { useScratchFolder, writeScript } from '../scratch-folder.ts';
import { join } from 'node:path';

describe('device nodes and CDI specs after a change', () => {
  const scratch = useScratchFolder();
  const log = scratch.path('log');
  const [driver, host] = [scratch.path('driver'), scratch.path('host')];

  /** A driver's container, and a host on which a toolkit may be; `chroot` writes down what it should run. */
  function aNode(...specs: readonly string[]): DeviceNodeOptions {
    writeScript(scratch.path('chroot'), `echo "$@" >> ${log}`);
    for (const folder of [`${driver}/usr/bin`, `${host}/run/cdi`, `${host}/usr/local/nvidia/toolkit`])
      mkdirSync(folder, { recursive: true });
    rmSync(`${host}/etc`, { recursive: true, force: true });
    writeScript(`${driver}/usr/bin/nvidia-smi`, 'exit 0');
    for (const spec of specs) writeFileSync(`${host}/run/cdi/${spec}`, 'cdiVersion: 0.5.0\n');
    writeFileSync(log, '');
    return { roots: [driver, host], driverRoots: [driver, host], searchPath: scratch.path(), timeoutMs: 5_000 };
  }

  it('are left to the driver where no toolkit is, which is said, and louder where a spec is now of before', async () => {
    const bare = await refreshDeviceNodes(aNode());
    expect(bare).to.deep.equal({ done: [], missing: `no nvidia-ctk in ${driver}, ${host}`, problems: [] });
    const { problems } = await refreshDeviceNodes(aNode('management.nvidia.com-gpu.yaml'));
    expect(problems).to.deep.equal([
      `${host}/run/cdi/management.nvidia.com-gpu.yaml describes the previous layout: no nvidia-ctk in ${driver}, ${host}. Install the ` +
        'NVIDIA Container Toolkit there or name its root (--toolkit-root), or regenerate the spec manually',
    ]);
    expect(readFileSync(log, 'utf8')).to.equal('');
  });

  it('are made by the toolkit of the host for the driver of its container, and only specs that are there', async () => {
    const options = aNode('management.nvidia.com-gpu.yaml');
    writeScript(`${host}/usr/local/nvidia/toolkit/nvidia-ctk`, 'exit 0');
    const ctk = `${host} /usr/local/nvidia/toolkit/nvidia-ctk`;
    expect((await refreshDeviceNodes(options)).problems).to.deep.equal([]);
    expect(readFileSync(log, 'utf8').trim().split('\n')).to.deep.equal([
      `${ctk} system create-device-nodes --control-devices --driver-root=${driver}`,
      `${ctk} cdi generate --mode=management --vendor=management.nvidia.com --class=gpu ` +
        `--output=/var/run/cdi/management.nvidia.com-gpu.yaml --driver-root=${driver}`,
    ]);
    expect(existsSync(`${host}/run/cdi/nvidia.yaml`)).to.equal(false);
  });

  it('need no root named where driver and toolkit are in one, and the spec of a host’s own workloads follows too', async () => {
    const options = aNode('nvidia.yaml');
    writeScript(`${driver}/usr/bin/nvidia-ctk`, 'exit 0');
    mkdirSync(`${driver}/run/cdi`, { recursive: true });
    writeFileSync(`${driver}/run/cdi/nvidia.yaml`, '');
    const { done } = await refreshDeviceNodes(options);
    expect(done).to.deep.equal([
      'nvidia-ctk system create-device-nodes --control-devices',
      'nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml',
    ]);
  });

  it('are said to be of before where a spec is in /etc/cdi, which nobody rewrites', async () => {
    const options = aNode('nvidia.yaml');
    writeScript(`${driver}/usr/bin/nvidia-ctk`, 'exit 0');
    mkdirSync(`${host}/etc/cdi`, { recursive: true });
    writeFileSync(`${host}/etc/cdi/gpus.yaml`, 'cdiVersion: "0.5.0"\nkind: nvidia.com/gpu\n');
    writeFileSync(`${host}/etc/cdi/old.json`, '{"cdiVersion": "0.5.0", "kind": "management.nvidia.com/gpu"}');
    writeFileSync(`${host}/etc/cdi/nic.yaml`, 'kind: example.com/nic\n');
    writeFileSync(`${host}/etc/cdi/readme.txt`, 'kind: nvidia.com/gpu\n');
    const { problems } = await refreshDeviceNodes(options);
    expect(problems).to.have.length(2);
    expect(problems[0]).to.equal(
      `${host}/etc/cdi/gpus.yaml describes the previous layout, and is not rewritten: it may have been written by hand. Move it to ` +
        '/run/cdi under the name nvidia.yaml, where it follows each change, or regenerate it with nvidia-ctk cdi generate',
    );
    expect(problems[1]).to.contain('old.json');
  });

  it('that cannot be made are said with the toolkit’s words, and the rest is done', async () => {
    const options = aNode('management.nvidia.com-gpu.yaml');
    writeScript(`${driver}/usr/bin/nvidia-ctk`, 'exit 0');
    writeScript(scratch.path('chroot'), 'case "$*" in *create-device*) echo "no such device" >&2; exit 1;; esac');
    const { done, problems } = await refreshDeviceNodes(options);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.match(/create-device-nodes.*exit code 1.*no such device/);
    expect(done.length).to.be.greaterThan(0);
  });

  it('may be rewritten by the sample of a unit, to which all but its own folders is read-only', () => {
    const unit = readFileSync(new URL('../../../samples/host/gpu-partition.service', import.meta.url), 'utf8');
    expect(unit)
      .to.match(/^ProtectSystem=strict$/m)
      .and.to.match(/^ReadWritePaths=-\/run\/cdi$/m);
  });
});

describe('whether the agent sees the processes of the host', () => {
  const scratch = useScratchFolder();

  function aProc(
    name: string,
    { namespace = 'pid:[4026532500]', own = '0::/', first = '0::/', comm = 'node' } = {},
  ): string {
    const proc = scratch.path(name);
    for (const folder of ['self/ns', '1']) mkdirSync(join(proc, folder), { recursive: true });
    symlinkSync(namespace, join(proc, 'self/ns/pid'));
    writeFileSync(join(proc, 'self/cgroup'), `${own}\n`);
    writeFileSync(join(proc, '1/cgroup'), `${first}\n`);
    writeFileSync(join(proc, '1/comm'), `${comm}\n`);
    return proc;
  }

  const look = (proc: string, pid = 20, isPod = true) => explainHiddenProcesses({ proc, pid, isPod });

  it('is so in the machine’s own process namespace', () => {
    expect(look(aProc('host', { namespace: 'pid:[4026531836]' }))).to.equal(undefined);
  });

  it('is not so in a pod of its own: its first process, a child of it, or beside a pause container', () => {
    expect(look(aProc('first'), 1)).to.contain('hostPID: true');
    expect(look(aProc('child'))).to.contain('hostPID: true');
    expect(look(aProc('shared', { first: '0::/../pause', comm: 'pause' }))).to.contain('hostPID: true');
  });

  it('is so on a node that is a container itself, below an init of no pod', () => {
    expect(look(aProc('kind', { first: '0::/../../../init.scope', comm: 'systemd' }))).to.equal(undefined);
  });

  it('is not asked of a program that is in no pod', () => {
    expect(look(aProc('none'), 1, false)).to.equal(undefined);
  });
});
