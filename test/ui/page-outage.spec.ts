import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { installRights } from '../../src/simulator/rig/install.ts';
import { useOwnCluster } from '../support/cluster.ts';
import { holdLease, renewLease } from '../support/controller-lease.ts';
import { eventually } from '../support/eventually.ts';
import { BrowserPage, type ChromiumProcess, findChromium, startChromium } from './chromium.mjs';

const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
const partitions = '/apis/gpupartition.dev/v1alpha1/gpunodepartitions';

describe('the page in Chromium while the API server stops and starts again @all', function () {
  const path = findChromium();
  const cluster = useOwnCluster({ controllerManager: false, scheduler: false });
  let browser: ChromiumProcess;
  let page: BrowserPage;
  let ui: ChildProcess;

  before(async function () {
    if (path === undefined) return this.skip();
    browser = await startChromium(path);
    await installRights(cluster());
    await holdLease(cluster());
    return undefined;
  });
  after(async () => {
    ui?.kill('SIGKILL');
    if (path !== undefined) await browser.close();
  });

  const writePhase = async (phase: 'Ready' | 'Failed'): Promise<unknown> =>
    cluster().client.demand({
      method: 'PATCH',
      path: `${partitions}/node-a/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { phase } },
    });

  it('says within seconds that it is disconnected, or that no controller leads, shows no node as well, and follows again by itself', async () => {
    const body = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuNodePartition',
      metadata: { name: 'node-a' },
      spec: { nodeUID: 'u' },
    };
    await cluster().client.demand({ method: 'POST', path: partitions, body });
    await writePhase('Ready');
    ui = spawn(process.execPath, [main, 'ui', '--kubeconfig', await cluster().kubeconfigFile()]);
    let said = '';
    ui.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(
      () => said,
      (text) => text.includes('\n'),
      { timeoutMs: 30_000, what: 'the address' },
    );
    page = await BrowserPage.open(browser);
    await page.visit(said.split(' ')[0] ?? '');
    await page.waitForWords('#nodes', 'Ready');
    expect(await page.textOf('#source')).to.contain(cluster().server);
    expect(await page.textOf('#age')).to.match(/^\d+ s ago$/);
    const well = await page.colorOf('#nodes .phase');
    await cluster().killApiServer();
    await page.waitForText('#interruption', 'Disconnected. No updates since');
    expect(await page.attributeOf('body', 'data-freshness')).to.equal('disconnected');
    expect(await page.title()).to.equal('Disconnected: GPU partitions');
    expect(await page.colorOf('#nodes .phase')).not.to.equal(well);
    expect(await page.textOf('#age')).to.match(/ old$/);
    await cluster().startApiServer();
    await page.waitFor('#interruption[hidden]', 'attached');
    expect(await page.colorOf('#nodes .phase')).to.equal(well);
    await writePhase('Failed');
    await page.waitForWords('#nodes', 'Failed');
    // The API server is there, and the controller is not: what is shown is old none the less.
    await renewLease(cluster(), 60);
    await page.waitForText('#interruption', 'No controller since ');
    expect(await page.attributeOf('body', 'data-freshness')).to.equal('no-controller');
    expect(await page.textOf('#interruption')).to.match(/What is shown is the last state that a controller wrote\.$/);
    await holdLease(cluster());
    await page.waitFor('#interruption[hidden]', 'attached');
    await page.close();
    const closed = once(ui, 'close');
    ui.kill('SIGINT');
    expect((await closed)[0]).to.equal(0);
  });
});
