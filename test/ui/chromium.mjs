// Plain JavaScript: much of it runs in the page, and the types of a browser's globals would be there for all of src.
import axe from 'axe-core';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** Only ends what hangs: others work on this machine too. */
const longestMs = 240_000;
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine, or the one that `CHROMIUM` names; undefined where there is none. */
export function findChromium() {
  return [process.env.CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path));
}

/** As root, and in containers, Chromium has no sandbox of its own to build. */
export async function startChromium(executablePath) {
  return chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** One page in a browser profile of its own, with what its console says and whom it asks. */
export class BrowserPage {
  troubles = [];
  requests = [];
  #context;
  #page;
  #debugger;

  static async open(browser, viewport = { width: 1280, height: 800 }) {
    const opened = new BrowserPage();
    opened.#context = await browser.newContext({ viewport });
    const page = await opened.#context.newPage();
    page.setDefaultTimeout(longestMs);
    opened.#page = page;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) opened.troubles.push(message.text());
    });
    page.on('pageerror', (error) => opened.troubles.push(String(error)));
    page.on('request', (request) => opened.requests.push(request.url()));
    await page.addInitScript(watchUpdates);
    opened.#debugger = await opened.#context.newCDPSession(page);
    // By the clock of the thread: what others do on this machine is not counted.
    await opened.#debugger.send('Performance.enable', { timeDomain: 'threadTicks' });
    return opened;
  }

  async close() {
    await this.#context.close();
  }

  get address() {
    return this.#page.url();
  }

  async visit(address) {
    await this.#page.goto(address, { waitUntil: 'domcontentloaded' });
  }

  /** From the first data until it was painted, in ms. */
  async firstPictureMs() {
    await this.#page.waitForFunction(() => window.firstPictureMs !== undefined);
    return this.#page.evaluate(() => window.firstPictureMs);
  }

  /** Waits until so many tiles are there. @returns how long that was after the first data, in ms */
  async waitForTiles(count) {
    await this.#page.waitForFunction((most) => document.querySelectorAll('#nodes > li').length === most, count);
    return this.#page.evaluate(() => performance.now() - window.firstDataAt);
  }

  /** What the page's thread has worked since it was opened, in ms: script, style, layout and paint. */
  async workMs() {
    const { metrics } = await this.#debugger.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  }

  /** Updates that have come in. */
  async countUpdates() {
    return this.#page.evaluate(() => window.updates ?? 0);
  }

  async waitForUpdates(count) {
    await this.#page.waitForFunction((least) => window.updates >= least, count);
  }

  /** @returns of so many frames the median time from one to the next, and the work for one, in ms */
  async measureFrames(frames) {
    const before = await this.workMs();
    const intervalMs = await this.#page.evaluate(measureFrames, frames);
    return { intervalMs, workMs: ((await this.workMs()) - before) / frames };
  }

  /** What keeps people out, by axe: all of its findings. The debugger puts it in: the page's policy lets no script in. */
  async audit() {
    await this.#page.evaluate(axe.source);
    const { violations } = await this.#page.evaluate('axe.run(document)');
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  }

  /** Scrolls down in each of so many frames. @returns as measureFrames */
  async measureScrolling(frames) {
    await this.#page.evaluate((most) => {
      let left = most;
      const step = () => {
        window.scrollBy(0, 120);
        left -= 1;
        if (left > 0) requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    }, frames);
    return this.measureFrames(frames);
  }

  async setColors(colorScheme) {
    await this.#page.emulateMedia({ colorScheme });
  }

  /** Date.now() is this from now on. @param ms since 1970 */
  async setTime(ms) {
    await this.#page.clock.setFixedTime(ms);
  }

  async press(key) {
    await this.#page.keyboard.press(key);
  }

  async type(text) {
    await this.#page.keyboard.type(text);
  }

  async click(selector, at = 0) {
    await this.#page.locator(selector).nth(at).click();
  }

  async select(name, value) {
    await this.#page.locator(`select[name=${name}]`).selectOption(value);
  }

  async hover(selector, position) {
    await this.#page.locator(selector).first().hover({ position });
  }

  async count(selector) {
    return this.#page.locator(selector).count();
  }

  async fill(selector, text) {
    await this.#page.locator(selector).fill(text);
  }

  /** Clicks the button of that name. */
  async clickButton(name) {
    await this.#page.getByRole('button', { name, exact: true }).first().click();
  }

  async attributeOf(selector, name) {
    return this.#page.locator(selector).first().getAttribute(name);
  }

  async colorOf(selector) {
    return this.#page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).color);
  }

  async title() {
    return this.#page.title();
  }

  /** How many pixels of the page are right of the screen. */
  async overflow() {
    return this.#page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  }

  /** Words that are broken in two although they are no longer than a line: of the first characters' box and the whole one's. */
  async brokenWords(selector) {
    return this.#page.evaluate(findBrokenWords, selector);
  }

  async textOf(selector) {
    return (await this.#page.locator(selector).textContent()) ?? '';
  }

  /** How far an element is scrolled down, in pixels. */
  async scrolled(selector) {
    return this.#page.locator(selector).evaluate(({ scrollTop }) => scrollTop);
  }

  async scroll(selector, pixels) {
    await this.#page.locator(selector).evaluate((element, top) => element.scrollTo({ top }), pixels);
  }

  /** Name or text of what has the focus. */
  async focused() {
    return this.#page.evaluate(
      () => document.activeElement?.getAttribute('name') ?? document.activeElement?.textContent ?? '',
    );
  }

  async waitForText(selector, start) {
    const begins = ([where, text]) => document.querySelector(where)?.textContent?.startsWith(text) === true;
    await this.#page.waitForFunction(begins, [selector, start]);
  }

  /** Waits until an element has a text in it. */
  async waitForWords(selector, text) {
    const has = ([where, words]) => document.querySelector(where)?.textContent?.includes(words) === true;
    await this.#page.waitForFunction(has, [selector, text]);
  }

  async waitForAbsence(selector) {
    await this.#page.locator(selector).waitFor({ state: 'detached' });
  }

  async waitFor(selector, state = 'visible') {
    await this.#page.locator(selector).first().waitFor({ state });
  }

  /** Waits until a field has a text in it. */
  async waitForValue(selector, text) {
    const has = ([where, words]) => document.querySelector(where)?.value.includes(words) === true;
    await this.#page.waitForFunction(has, [selector, text]);
  }

  /** What the console said of a server that a test has stopped is no trouble. */
  forgiveOutage() {
    this.troubles = this.troubles.filter((text) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)|status of 403/.test(text));
  }

  /** Brings an element to the top of the screen. */
  async scrollTo(selector) {
    await this.#page.locator(selector).evaluate((element) => element.scrollIntoView());
  }

  async savePicture(path) {
    await this.#page.screenshot({ path });
  }
}

/** Runs in the page. @returns words that take more than one line */
function findBrokenWords(selector) {
  const broken = [];
  for (const element of document.querySelectorAll(selector)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (tops.size > 1) broken.push(word);
      }
    }
  }
  return broken;
}

/** Runs in the page before its script: notes when data comes, and when the frame with it has been painted. */
function watchUpdates() {
  const { EventSource: Plain } = window;
  window.updates = 0;
  window.EventSource = class extends Plain {
    constructor(address) {
      super(address);
      this.addEventListener('message', () => {
        const since = performance.now();
        window.updates += 1;
        if (window.updates > 1) return;
        window.firstDataAt = since;
        // The page draws in the next frame; a task after the one that follows finds it painted.
        const note = () => (window.firstPictureMs = performance.now() - since);
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(note)));
      });
    }
  };
}

/** Runs in the page. @returns median time from one frame to the next, of so many, in ms */
async function measureFrames(frames) {
  const intervals = [];
  let last = performance.now();
  for (let at = 0; at < frames; at += 1) {
    const start = await new Promise((resolve) => requestAnimationFrame(resolve));
    intervals.push(start - last);
    last = start;
  }
  return intervals.toSorted((a, b) => a - b)[Math.floor(frames / 2)];
}
