import { expect } from 'chai';
import { stat } from 'node:fs/promises';
import type { Interruption } from '../../src/core/view/lines.ts';
import { type PageServer, servePage } from '../../src/ui/page-server.ts';
import { storyTime } from '../core/view/status-stories.ts';
import { BrowserPage, type ChromiumProcess, findChromium, startChromium } from './chromium.mjs';
import { aFeed, anIncident, answersFor, changedNode, type Incident } from './incident.ts';
import { simulateFleet } from './simulated-fleet.ts';

interface Picture {
  readonly fleet: Incident;
  readonly colors?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly interruption?: Interruption;
  /** What is done on the page before. */
  readonly act?: (page: BrowserPage) => Promise<void>;
}

async function openNode(page: BrowserPage): Promise<void> {
  await page.clickButton('gpu-node-0007');
  await page.waitFor('#detail[open]');
  await page.waitForWords('#detail', 'In a terminal');
}

/** A node whose change is over: its steps and Events are below its GPUs. */
async function openChanged(page: BrowserPage): Promise<void> {
  await page.fill('#filters [name=text]', changedNode);
  await page.waitForText('#state', '1 of ');
  await page.click(`#nodes > li:not([hidden]) .tile`);
  await page.waitForWords('#detail', 'offered');
}

async function scrollToNodes(page: BrowserPage): Promise<void> {
  await page.scrollTo('#nodes-title');
}

async function showTable(page: BrowserPage): Promise<void> {
  await page.select('view', 'table');
  await page.waitFor('#table td');
  await page.scrollTo('#nodes-title');
}

async function planChange(page: BrowserPage): Promise<void> {
  await page.click('#plan summary');
  await page.select('from', 'inference');
  await page.waitForValue('textarea', 'kind: GpuPartitionPolicy');
  await page.clickButton('What would change?');
  await page.waitForWords('#plan .answer', 'this change ');
  await page.scrollTo('#plan');
}

async function openDoctor(page: BrowserPage): Promise<void> {
  await page.click('#doctor summary');
  await page.waitForWords('#findings', 'not checked: ');
}

/** With a GPU that its driver reports as sick, on a node of a paused policy, and a clock that is late. */
function withFindings({ policies, partitions }: Incident): Incident {
  const health = {
    action: 'Reboot' as const,
    message: 'row remapping is pending: GPU memory has an uncorrectable error',
  };
  return {
    policies,
    partitions: partitions.map((one) => {
      const { device } = one.status ?? {};
      const [first, ...gpus] = device?.gpus ?? [];
      if (one.metadata.name === 'speech-03' && first !== undefined)
        return { ...one, status: { ...one.status, device: { ...device, gpus: [{ ...first, health }, ...gpus] } } };
      if (one.metadata.name !== 'gpu-node-0005') return one;
      return { ...one, status: { ...one.status, device: { ...device, clockSkewSeconds: -34 } } };
    }),
  };
}

const since = Date.parse('2026-01-01T11:58:00Z');
const disconnected: Interruption = {
  kind: 'Disconnected',
  since,
  why: 'Unreachable: the connection failed: connect ECONNREFUSED 10.0.0.1:6443',
};
const leaderless: Interruption = {
  kind: 'No controller',
  since,
  why: 'no controller renews its Lease gpu-partition-system/gpu-partition-controller',
};

const pictures: Readonly<Record<string, Picture>> = {
  'page-roll': { fleet: simulateFleet(15) },
  'page-roll-dark': { fleet: simulateFleet(15), colors: 'dark' },
  'page-incident': { fleet: withFindings(anIncident()), width: 1600, height: 1000, act: openDoctor },
  'page-disconnected': { fleet: simulateFleet(15), interruption: disconnected },
  'page-no-controller': { fleet: simulateFleet(15), colors: 'dark', interruption: leaderless },
  'page-tiles': { fleet: anIncident(), act: scrollToNodes },
  'page-table': { fleet: anIncident(), width: 1600, act: showTable },
  'page-plan': { fleet: simulateFleet(15), act: planChange },
  'page-node': { fleet: simulateFleet(15), act: openNode },
  'page-node-done': { fleet: anIncident(), act: openChanged },
  'page-phone': { fleet: anIncident(), width: 390, height: 844 },
  'page-phone-dark': { fleet: anIncident(), width: 390, height: 844, colors: 'dark', act: openNode },
};

/** Each was looked at when it was taken. */
describe('pictures of the page in the docs @all', function () {
  const path = findChromium();
  const isTaken = process.env['PICTURES'] !== undefined;
  let browser: ChromiumProcess;

  before(async function () {
    if (path === undefined || !isTaken) return;
    browser = await startChromium(path);
  });
  after(async () => {
    if (path !== undefined && isTaken) await browser.close();
  });

  for (const [name, picture] of Object.entries(pictures)) {
    const file = `docs/images/${name}.png`;
    it(`${name} is there (PICTURES=1 retakes it)`, async () => {
      if (path !== undefined && isTaken) await take(picture, file);
      expect((await stat(file)).size).to.be.above(10_000);
    });
  }

  async function take(picture: Picture, file: string): Promise<void> {
    const { fleet, colors = 'light', width = 1120, height = 760, interruption, act } = picture;
    const feed = aFeed((node) => (node < 'gpu-node-0010' ? 'a100' : 'a100-spot'));
    const isCutOff = interruption?.kind === 'Disconnected';
    feed.update({ ...fleet, interruption, ...(isCutOff && { seenAt: since }) });
    const server: PageServer = await servePage({ feed, answers: answersFor(anIncident()) }, 0);
    const page = await BrowserPage.open(browser, { width, height });
    await page.setColors(colors);
    await page.setTime(storyTime);
    await page.visit(server.address);
    await page.waitForTiles(fleet.partitions.length);
    await page.waitForWords('#totals', 'pods wait for GPUs');
    await act?.(page);
    await page.measureFrames(3);
    await page.savePicture(file);
    await page.close();
    await server.stop();
  }
});
