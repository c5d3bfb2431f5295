import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { LeadershipWatch } from '../../src/cli/cluster/connection.ts';
import type { FleetFeed } from '../../src/ui/fleet-feed.ts';
import { createKubeClient, useSharedCluster } from '../support/cluster.ts';
import { dropLease, holdLease, renewLease } from '../support/controller-lease.ts';
import { eventually } from '../support/eventually.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { run } from './run.ts';

const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;

const running: Running[] = [];

/** A running command and what it has said so far. */
class Running {
  readonly child: ChildProcess;
  said = '';

  constructor(...argv: readonly string[]) {
    this.child = spawn(process.execPath, [main, ...argv]);
    running.push(this);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.said += text));
  }

  async says(pattern: RegExp): Promise<string> {
    const options = { timeoutMs: 60_000, what: `output that matches ${pattern}` };
    return eventually(
      () => this.said,
      (text) => pattern.test(text),
      options,
    );
  }

  /** @returns the exit code */
  async interrupt(): Promise<unknown> {
    const closed = once(this.child, 'close');
    this.child.kill('SIGINT');
    return (await closed)[0];
  }
}

describe('a view of the fleet while the API server does not answer @all', function () {
  const cluster = useSharedCluster();
  let proxy: FaultProxy;
  let kubeconfig: string;

  before(async () => {
    await holdLease(cluster());
  });
  after(() => dropLease(cluster()));
  beforeEach(async () => {
    proxy = await FaultProxy.open(cluster());
    kubeconfig = await cluster().kubeconfigFile({ server: proxy.server });
  });
  afterEach(async () => {
    // One that a failed test has left would follow its cluster for good.
    for (const { child } of running.splice(0)) child.kill('SIGKILL');
    await proxy[Symbol.asyncDispose]();
  });

  for (const [fault, why] of [
    ['cut', 'Unreachable: the connection failed: '],
    ['freeze', 'Timeout: no complete answer within the limit'],
  ] as const) {
    it(`status --watch says since when and why (${fault}), and follows again afterwards`, async () => {
      const status = new Running('status', '--watch', '--kubeconfig', kubeconfig);
      await status.says(/no GPU nodes|POLICY/);
      proxy[fault]();
      // It comes in several pieces, and is wrapped.
      const said = (await status.says(/from\s+then/)).replaceAll(/\s+/g, ' ');
      expect(said).to.match(/No updates since \d\d:\d\d:\d\d UTC: .*What follows is from then/);
      expect(said).to.include(why);
      status.said = '';
      proxy.restore();
      const after = await status.says(/no GPU nodes|POLICY/);
      expect(after, after).not.to.include('No updates');
      expect(await status.interrupt()).to.equal(0);
    });
  }

  it('the page says so too', async () => {
    const ui = new Running('ui', '--kubeconfig', kubeconfig);
    const [address = ''] = (await ui.says(/\n/)).split(' ');
    const interruption = async (): Promise<FleetFeed['fleet']['interruption']> =>
      ((await (await fetch(new URL('fleet', address))).json()) as FleetFeed['fleet']).interruption;
    expect(await interruption()).to.equal(null);
    proxy.cut();
    const found = await eventually(interruption, (one) => one !== null, {
      timeoutMs: 60_000,
      what: 'the interruption',
    });
    expect(found?.why).to.include('the connection failed');
    proxy.restore();
    await eventually(interruption, (one) => one === null, { timeoutMs: 60_000, what: 'the interruption' });
    expect(await ui.interrupt()).to.equal(0);
  });
});

describe('a view of the fleet that no controller writes any more @all', function () {
  const cluster = useSharedCluster();
  let options: readonly string[];

  before(async () => {
    options = ['--kubeconfig', await cluster().kubeconfigFile()];
  });
  afterEach(async () => {
    for (const { child } of running.splice(0)) child.kill('SIGKILL');
    await dropLease(cluster());
  });

  it('says since when, in words and as data', async () => {
    await renewLease(cluster(), 1234);
    const { code, stdout } = await run(['status', ...options]);
    expect(code).to.equal(0);
    expect(stdout.replaceAll(/\s+/g, ' ')).to.match(
      /^NO CONTROLLER for 21 min: since \d\d:\d\d:\d\d UTC no controller renews its Lease default\/gpu-partition-controller\. What follows is the last state that a controller wrote\./,
    );
    const data = JSON.parse((await run(['status', '-o', 'json', ...options])).stdout) as Record<string, unknown>;
    expect(data['interruption']).to.include({ kind: 'No controller' });
    await holdLease(cluster());
    const held = await run(['status', '-o', 'json', ...options]);
    expect(JSON.parse(held.stdout)).not.to.have.property('interruption');
  });

  it('says that there never was one', async () => {
    await renewLease(cluster());
    await dropLease(cluster());
    expect((await run(['status', ...options])).stdout.replaceAll(/\s+/g, ' ')).to.match(
      /^NO CONTROLLER: no namespace has a Lease gpu-partition-controller: the controller was never started, or with --no-leader-elect\./,
    );
  });

  it('status --watch says it as soon as it is certain, and no longer once somebody leads', async () => {
    await renewLease(cluster(), 60);
    const status = new Running('status', '--watch', ...options);
    await status.says(/NO CONTROLLER for/);
    await holdLease(cluster());
    status.said = '';
    await status.says(/no GPU nodes|POLICY/);
    expect(status.said).not.to.include('NO CONTROLLER');
    expect(await status.interrupt()).to.equal(0);
  });

  it('takes a controller whose clock is behind for one that leads, as long as it renews its Lease', async () => {
    const clock = new FakeClock();
    clock.shiftWall(Date.now() - clock.wallMs());
    const leadership = new LeadershipWatch(await createKubeClient(cluster()), clock);
    for (let turn = 0; turn < 3; turn += 1) {
      await renewLease(cluster(), 600 + turn);
      expect(await leadership.check()).to.equal('Unsettled');
      await clock.advance(5000);
    }
    expect(await leadership.check()).to.include({ kind: 'No controller' });
  });
});
