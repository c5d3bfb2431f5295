import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { uninitializedTaint } from '../../src/api/names.ts';
import { driverRoot } from './gpus.ts';
import { nodeName } from './node-config.ts';
import { describePolicy, type Profiles } from './operator.ts';
import { useRealNode } from './shared-node.ts';

const mixed: Profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
const driverFolder = '/usr/local/sbin';
const executable = resolve(`dist/gpu-partition-linux-${process.arch === 'arm64' ? 'arm64' : 'amd64'}`);

describe('a machine that makes its layouts before its kubelet starts', function () {
  this.timeout(300_000);
  const operator = useRealNode();

  before(function () {
    if (existsSync(executable)) return undefined;
    console.log(`    skipped: there is no ${executable}: make executable writes it`);
    return this.skip();
  });

  after(async () => {
    if (existsSync(executable)) await operator().remove();
    await runProgram('umount', ['-l', driverFolder]);
  });

  /** Runs the command of the exported unit with its input, as systemd does. */
  async function runUnit(unit: string): Promise<{ readonly code: number; readonly stderr: string }> {
    const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
    const [program = '', ...args] = settingOf('ExecStart').split(' ');
    const input = settingOf('StandardInputText').replaceAll('%%', '%').replaceAll('\\\\', '\\');
    return runProgram(program, args, { input });
  }

  /** In a folder of the driver that the machine's image has; the mount is the node's own, and goes with it. */
  async function installDriver(): Promise<void> {
    const { code, stderr } = await runProgram('mount', ['-t', 'tmpfs', 'tmpfs', driverFolder]);
    if (code !== 0) throw new Error(`${driverFolder} cannot be mounted: ${stderr}`);
    const file = join(driverFolder, 'nvidia-smi');
    await writeFile(file, `#!/bin/sh\nexec /usr/sbin/chroot ${driverRoot} /usr/bin/nvidia-smi "$@"\n`, { mode: 0o755 });
  }

  it('is adopted by the agent without an operation, and is opened without having been closed', async () => {
    const input = JSON.stringify(describePolicy(mixed));
    const words = ['export', 'boot', '-f', '-', '--format', 'systemd', '--executable', executable];
    const { stdout: unit, stderr } = await runProgram(executable, words, { input });
    expect(unit, stderr).to.contain('[Service]');
    await installDriver();
    const before = await operator().countChanges();
    await operator().node.restartKubelet(async () => {
      const made = await runUnit(unit);
      expect(made.code, made.stderr).to.equal(0);
    });
    const made = await operator().countChanges();
    expect(made).to.be.above(before);

    // What a node pool with a start-up gate does.
    await operator().kubectl('taint', 'node', nodeName, `${uninitializedTaint.key}=:${uninitializedTaint.effect}`);
    await operator().applyFolder('config/default');
    await operator().runPlugin('mixed');
    await operator().rollOut();
    await operator().ask(mixed);
    await operator().untilDone(mixed);
    expect(await operator().countChanges()).to.equal(made);
    expect(await operator().kubectl('get', 'gpn', nodeName, '-o=jsonpath={.spec.granted}')).to.equal('');
    expect(await operator().runGpuPod('first', 'nvidia.com/mig-3g.20gb')).to.match(/^MIG-/);
  });
});
