import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FleetFeed } from '../../src/ui/fleet-feed.ts';
import { installKinds, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

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

describe('a view of the fleet while the API server does not answer', function () {
  const cluster = useSharedCluster();
  let proxy: FaultProxy;
  let kubeconfig: string;

  before(() => installKinds(cluster()));
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
      const said = await status.says(/No updates since/);
      expect(said).to.match(/No updates since \d\d:\d\d:\d\d UTC: .*What follows is from then/s);
      expect(said.replaceAll(/\s+/g, ' '), said).to.include(why);
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
