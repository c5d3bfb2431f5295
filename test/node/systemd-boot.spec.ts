import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { expect } from 'chai';
import { stringify } from 'yaml';

import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { run } from '../cli/run.ts';
import { SimulatedHost } from '../cli/simulated-host.ts';
import { eventually } from '../support/eventually.ts';
import { nodeVariables } from './namespaces.ts';

const executable = resolve(`dist/gpu-partition-linux-${process.arch === 'arm64' ? 'arm64' : 'amd64'}`);
const systemUnits = '/usr/lib/systemd/system';
const targets = ['multi-user', 'basic', 'sysinit', 'local-fs', 'shutdown', 'sockets', 'timers', 'paths', 'slices'];
const cloudUnits = [
  ...['cloud-init-local', 'cloud-init', 'cloud-config', 'cloud-final'].map((name) => `${name}.service`),
  'cloud-init.target',
  'cloud-config.target',
  'network.target',
  'network-pre.target',
  'network-online.target',
];
const unitName = 'gpu-partition.service';

/** Stands for the kubelet: it writes down what it finds, and stays. */
const kubelet = `[Service]
ExecStart=/bin/sh -c 'nvidia-smi -L >/srv/found; exec sleep infinity'
[Install]
WantedBy=multi-user.target
`;

/** What a machine keeps over its boots: units, what they wrote, its executable. */
class Machine implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'machine-'));

  constructor() {
    for (const name of ['etc', 'lib', 'bin', 'units']) mkdirSync(join(this.folder, name));
    for (const name of targets)
      cpSync(join(systemUnits, `${name}.target`), join(this.folder, 'units', `${name}.target`));
    cpSync(executable, join(this.folder, 'gpu-partition'));
    this.write('units/kubelet.service', kubelet);
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Has a target start a unit, as `systemctl enable` does. */
  enable(unit: string, target = 'multi-user.target'): void {
    mkdirSync(join(this.folder, 'etc', `${target}.wants`), { recursive: true });
    symlinkSync(`/srv/units/${unit}`, join(this.folder, 'etc', `${target}.wants`, unit));
  }

  /** Boots it with these GPUs until its kubelet runs. */
  async boot(host: SimulatedHost): Promise<Boot> {
    // Its server answers from now on.
    expect((await host.node('export')).code).to.equal(0);
    cpSync(host.nvidiaSmi, join(this.folder, 'bin/nvidia-smi'));
    rmSync(join(this.folder, 'found'), { force: true });
    const boot = await Boot.start(this.folder);
    await boot.untilActive('kubelet.service');
    await eventually(() => this.read('found') !== '', Boolean, { timeoutMs: 10_000, what: 'what the kubelet found' });
    return boot;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let boots = 0;

/** The first child of a process; the script has others before it becomes `unshare`. */
function findChild(parent: number): { readonly pid: string; readonly name: string } {
  try {
    const [pid = ''] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
    return { pid, name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() };
  } catch {
    return { pid: '', name: '' };
  }
}

/** A machine from its first process to its last. */
class Boot implements AsyncDisposable {
  readonly #unshare: ChildProcess;
  readonly #pid: string;
  #said = '';

  private constructor(unshare: ChildProcess, pid: string) {
    this.#unshare = unshare;
    this.#pid = pid;
  }

  static async start(folder: string): Promise<Boot> {
    const script = resolve(import.meta.dirname, 'boot-machine.sh');
    boots += 1;
    const cgroup = `${process.env[nodeVariables.cgroup]}/boot-${boots}`;
    const unshare = spawn('sh', [script, folder, cgroup], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    unshare.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const { pid } = await eventually(
      () => ({ ...findChild(Number(unshare.pid)), said, code: unshare.exitCode }),
      ({ name, code }) => name === 'systemd' || code !== null,
      { what: 'the first process' },
    );
    if (unshare.exitCode !== null) throw new Error(`the machine does not boot: ${said}`);
    const boot = new Boot(unshare, pid);
    unshare.stderr.on('data', (text: string) => (boot.#said += text));
    return boot;
  }

  async systemctl(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
    return runProgram('nsenter', ['--target', this.#pid, '--mount', '--pid', 'systemctl', ...args]);
  }

  async property(unit: string, name: string): Promise<string> {
    const { stdout } = await this.systemctl('show', '--value', '-p', name, unit);
    return stdout.trim();
  }

  async untilActive(unit: string): Promise<void> {
    await eventually(
      async () => `${await this.property(unit, 'ActiveState')}${this.#said}`,
      (state) => state.startsWith('active'),
      { timeoutMs: 60_000, what: `the state of ${unit}` },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#unshare, 'close');
    process.kill(Number(this.#pid), 'SIGKILL');
    await ended;
  }
}

const gpus = ['A100-SXM4-40GB', 'A100-SXM4-40GB'];
const profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
const starts = [0, 2, 3, 4];

function policyOf(layout: Readonly<Record<string, number>>): string {
  return stringify({
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'first' },
    spec: { nodeSelector: { matchLabels: { pool: 'first' } }, strategy: 'mixed', layouts: [{ profiles: layout }] },
  });
}

async function exported(format: string, layout: Readonly<Record<string, number>> = profiles): Promise<string> {
  const words = ['export', 'boot', '-f', '-', '--format', format, '--executable', '/srv/gpu-partition'];
  const { stdout, stderr, code } = await run(words, { stdin: policyOf(layout) });
  expect(code, stderr).to.equal(0);
  return stdout;
}

describe('systemd, which boots a machine with an exported unit', function () {
  this.timeout(180_000);

  before(function () {
    const lack = [
      ...(process.env[nodeVariables.cgroup] === undefined ? ['a node of its own'] : []),
      ...[executable, '/lib/systemd/systemd', systemUnits].filter((path) => !existsSync(path)),
    ];
    if (lack.length === 0) return undefined;
    console.log(`    skipped: there is no ${lack.join(', no ')}`);
    return this.skip();
  });

  async function newMachine(layout: Readonly<Record<string, number>> = profiles): Promise<Machine> {
    const machine = new Machine();
    machine.write(`units/${unitName}`, await exported('systemd', layout));
    machine.enable(unitName);
    machine.enable('kubelet.service');
    return machine;
  }

  it('makes the layouts before the kubelet starts, at each boot', async () => {
    using machine = await newMachine();
    for (const mig of [false, true]) {
      using host = new SimulatedHost(gpus, { mig });
      await using boot = await machine.boot(host);
      expect([host.starts(0), host.starts(1)]).to.deep.equal([starts, starts]);
      expect(machine.read('found').match(/ {2}MIG /g), 'what the kubelet found').to.have.lengthOf(8);
      expect(await boot.property(unitName, 'ActiveState')).to.equal('active');
      const ended = await boot.property(unitName, 'ExecMainExitTimestampMonotonic');
      const started = await boot.property('kubelet.service', 'ExecMainStartTimestampMonotonic');
      expect(Number(started)).to.be.above(Number(ended));
    }
  });

  it('leaves the GPUs to the agent once a kubelet has run', async () => {
    using machine = await newMachine();
    using host = new SimulatedHost(gpus, { mig: false });
    await using boot = await machine.boot(host);
    host.takeChanges();
    machine.write(`units/${unitName}`, await exported('systemd', { '1g.5gb': 7 }));
    await boot.systemctl('daemon-reload');
    await boot.systemctl('restart', unitName);
    expect(await boot.property(unitName, 'Result')).to.equal('exec-condition');
    await boot.systemctl('stop', 'kubelet.service');
    await boot.systemctl('start', unitName);
    expect(await boot.property(unitName, 'Result')).to.equal('exec-condition');
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('starts the kubelet though the layouts cannot be made', async () => {
    using machine = await newMachine({ '1g.10gb': 7 });
    using host = new SimulatedHost(gpus, { mig: false });
    await using boot = await machine.boot(host);
    expect(await boot.property(unitName, 'Result')).to.equal('exit-code');
    expect(machine.read('found').match(/ {2}MIG /g)).to.equal(null);
    expect(host.takeChanges()).to.deep.equal([]);
  });

  it('has it from cloud-init, which makes the layouts in the first boot, before what joins the cluster', async function () {
    if (!existsSync('/usr/bin/cloud-init')) {
      console.log('      skipped: there is no cloud-init here (Debian: apt-get install cloud-init)');
      return this.skip();
    }
    using machine = new Machine();
    for (const name of cloudUnits) cpSync(join(systemUnits, name), join(machine.folder, 'units', name));
    for (const name of cloudUnits.filter((unit) => unit.endsWith('.service')))
      machine.enable(name, 'cloud-init.target');
    machine.enable('cloud-init.target');
    const seed = 'lib/cloud/seed/nocloud';
    for (const name of ['cloud', seed]) mkdirSync(join(machine.folder, name), { recursive: true });
    machine.write(
      'cloud/cloud.cfg',
      stringify({
        datasource_list: ['NoCloud'],
        network: { config: 'disabled' },
        cloud_init_modules: ['write-files'],
        cloud_config_modules: ['runcmd'],
        cloud_final_modules: ['scripts-user'],
        system_info: {
          distro: 'debian',
          paths: { cloud_dir: '/var/lib/cloud/', templates_dir: '/etc/cloud/templates/' },
        },
      }),
    );
    machine.write(`${seed}/meta-data`, 'instance-id: first\n');
    machine.write(
      `${seed}/user-data`,
      `${await exported('cloud-init')}  - [systemctl, enable, --now, kubelet.service]\n`,
    );
    for (const mig of [false, true]) {
      using host = new SimulatedHost(gpus, { mig });
      await using boot = await machine.boot(host);
      expect(machine.read('found').match(/ {2}MIG /g), 'what the kubelet found').to.have.lengthOf(8);
      expect(await boot.property(unitName, 'ActiveState')).to.equal('active');
    }
  });
});
