import { expect } from 'chai';
import { createContext, runInContext } from 'node:vm';
import { FleetFeed } from '../../src/ui/fleet-feed.ts';
import { pageText } from '../../src/ui/page-text.ts';
import { aStatusNode, changingNode, fleet, policies, storyTime } from '../core/view/status-stories.ts';

type Listener = (event: object) => void;

/** As much of an element as the page's script uses. Nothing is laid out or painted. */
class FakeElement {
  readonly tagName: string;
  readonly dataset: Record<string, string> = {};
  readonly style: Record<string, string> = {};
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, Listener>();
  children: (FakeElement | string)[] = [];
  parent: FakeElement | undefined;
  hidden = false;
  open = false;
  type = '';
  className = '';
  name = '';
  value = '';
  id = '';

  constructor(tagName: string) {
    this.tagName = tagName.toUpperCase();
  }

  get text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text)).join(' ');
  }

  get textContent(): string {
    return this.text;
  }

  set textContent(text: string) {
    this.children = [text];
  }

  get firstChild(): FakeElement | string | undefined {
    return this.children[0];
  }

  get lastElementChild(): FakeElement | undefined {
    return this.elements().at(-1);
  }

  get options(): readonly FakeElement[] {
    return this.elements();
  }

  elements(): readonly FakeElement[] {
    return this.children.filter((child) => typeof child !== 'string');
  }

  append(...children: (FakeElement | string)[]): void {
    for (const child of children) if (typeof child !== 'string') child.parent = this;
    this.children.push(...children);
  }

  insertBefore(child: FakeElement, other: FakeElement): void {
    child.parent = this;
    this.children.splice(this.children.indexOf(other), 0, child);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = [];
    this.append(...children);
  }

  remove(): void {
    const { parent } = this;
    if (parent) parent.children = parent.children.filter((child) => child !== this);
  }

  contains(): boolean {
    return false;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  addEventListener(name: string, listener: Listener): void {
    this.listeners.set(name, listener);
  }

  fire(name: string, event: object = {}): void {
    this.listeners.get(name)?.(event);
  }

  focus(): void {
    // Nobody looks.
  }

  showModal(): void {
    this.open = true;
  }

  close(): void {
    this.open = false;
    this.fire('close');
  }
}

/** The page's script with a document of its own, fed by hand. */
function openPage(hash = '') {
  const byId = new Map(
    ['filters', 'state', 'interruption', 'policies', 'nodes', 'detail', 'tip'].map(
      (id) => [id, new FakeElement('div')] as const,
    ),
  );
  const fields = ['text', 'phase', 'policy', 'pool'].map((name) => {
    const field = new FakeElement(name === 'text' ? 'input' : 'select');
    field.name = name;
    return field;
  });
  const element = (id: string): FakeElement => byId.get(id) ?? new FakeElement('div');
  const form = Object.assign([...fields], Object.fromEntries(fields.map((field) => [field.name, field])));
  Object.assign(element('filters'), { elements: form });
  const source = new FakeElement('source');
  const location = { hash };
  const frames: (() => void)[] = [];
  const drawFrames = (): void => {
    while (frames.length > 0) frames.shift()?.();
  };
  const context = createContext({
    document: {
      getElementById: element,
      createElement: (name: string) => new FakeElement(name),
      activeElement: undefined,
    },
    EventSource: function EventSource() {
      return source;
    },
    FormData: function FormData() {
      return new Map(fields.map(({ name, value }) => [name, value]));
    },
    URLSearchParams,
    location,
    history: { replaceState: (_state: unknown, _title: string, address: string) => (location.hash = address) },
    requestAnimationFrame: (frame: () => void) => frames.push(frame),
    addEventListener: () => undefined,
    innerWidth: 1000,
    performance,
  });
  const script = /<script nonce="__NONCE__">([^]*)<\/script>/.exec(pageText)?.[1] ?? '';
  runInContext(script, context);
  return {
    element,
    location,
    field: (name: string): FakeElement => fields.find((one) => one.name === name) ?? new FakeElement('input'),
    send(change: object): void {
      source.fire('message', { data: JSON.stringify(change) });
      drawFrames();
    },
    source,
    tiles: (): readonly FakeElement[] => element('nodes').elements(),
  };
}

function aFeed(): FleetFeed {
  const feed = new FleetFeed(
    () => 'p',
    () => storyTime,
  );
  feed.take({ policies, partitions: fleet });
  return feed;
}

const spokenOf = (tile: FakeElement): string | undefined => tile.elements()[0]?.text.trim();

describe('the script of the page', () => {
  it('draws a tile for each node in order, with words for those who do not see it', () => {
    const page = openPage();
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    expect(page.tiles().map(({ dataset }) => dataset['name'])).to.deep.equal(
      fleet.map(({ metadata }) => metadata.name).toSorted(),
    );
    const tile = page.tiles().find(({ dataset }) => dataset['name'] === 'gpu-node-7');
    expect(tile && spokenOf(tile)).to.equal('gpu-node-7 Updating: Draining 2 of 10 slices in use, 6 GPUs');
    expect(page.element('state').text).to.equal('7 of 7 nodes, 1 failed');
    expect(page.element('policies').text)
      .to.contain('inference')
      .and.to.contain('2/6 ready, 1 of at most 3 change now')
      .and.to.contain('3 nodes left, done in about 2 min')
      .and.to.contain('to do: 4 GPUs change; instances: 6 stay, 4 go, 8 come; 1 pod has to go');
  });

  it('draws slices to scale, by use', () => {
    const page = openPage();
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    const tile = page.tiles().find(({ dataset }) => dataset['name'] === 'gpu-node-7');
    const bars =
      tile
        ?.elements()[0]
        ?.elements()
        .filter(({ className }) => className.startsWith('gpu')) ?? [];
    expect(bars).to.have.length(6);
    expect(bars[2]?.style['background']).to.match(
      /^linear-gradient\(to right, var\(--used\) 0% 11\.7%, .*var\(--free\) 12\.5% .*var\(--going\) 25% .*var\(--free\) 50% /,
    );
    expect(bars[3]).to.deep.include({ className: 'gpu sick' });
    expect(bars[5]?.style['background']).to.equal('var(--whole)');
  });

  it('follows changes, and what is gone', () => {
    const page = openPage();
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    const feed = aFeed();
    const changes: object[] = [];
    feed.listen((change) => changes.push(change));
    feed.take({ policies, partitions: [...fleet.slice(2), aStatusNode({ name: 'gpu-node-7' })] });
    for (const change of changes) page.send(change);
    expect(page.tiles()).to.have.length(6);
    const tile = page.tiles().find(({ dataset }) => dataset['name'] === 'gpu-node-7');
    expect(tile && spokenOf(tile)).to.equal('gpu-node-7 Ready 0 of 0 slices in use, 0 GPUs');
  });

  it('says that what it shows is old while the API server, or gpu-partition ui, does not answer', () => {
    const page = openPage();
    const banner = page.element('interruption');
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    expect(banner.hidden).to.equal(true);
    page.send({ policies: [], nodes: [], gone: [], interruption: { since: storyTime, why: 'connect ECONNREFUSED' } });
    expect(banner.hidden).to.equal(false);
    expect(banner.text).to.match(/^No updates since .*: connect ECONNREFUSED\. What is shown is from then\.$/);
    page.send({ policies: [], nodes: [], gone: [], interruption: null });
    expect(banner.hidden).to.equal(true);
    page.source.fire('error');
    expect(banner.hidden).to.equal(false);
    expect(banner.text).to.contain('gpu-partition ui does not answer');
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    expect(banner.hidden).to.equal(true);
  });

  it('filters by what the address says, and says in the address how it filters', () => {
    const page = openPage('#phase=Failed');
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    const shown = (): readonly (string | undefined)[] =>
      page.tiles().flatMap(({ hidden, dataset }) => (hidden ? [] : [dataset['name']]));
    expect(shown()).to.deep.equal(['gpu-node-3']);
    page.field('phase').value = '';
    page.field('text').value = 'drain';
    page.element('filters').fire('input');
    expect(shown()).to.deep.equal(['gpu-node-7']);
    expect(page.location.hash).to.equal('#text=drain');
    expect(page.element('state').text).to.equal('1 of 7 nodes, 1 failed');
  });

  it('opens a node with each slice in words, what will be, and who has to go', () => {
    const page = openPage();
    page.send({ ...aFeed().fleet, gone: [], isWhole: true });
    const tile = page.tiles().find(({ dataset }) => dataset['name'] === changingNode.metadata.name);
    tile?.elements()[0]?.fire('click');
    const detail = page.element('detail');
    expect(detail.open).to.equal(true);
    expect(detail.text).to.contain('pods to evict: team/train-0').and.to.contain('2g.10gb 2 goes team/train-0');
    const labels = (one: FakeElement): readonly string[] => [
      ...(one.attributes.get('aria-label') === undefined ? [] : [one.attributes.get('aria-label') ?? '']),
      ...one.elements().flatMap(labels),
    ];
    expect(labels(detail).join('\n')).to.contain('after: 1g.5gb at 0').and.to.contain('not made yet');
    page.send({ policies: [], nodes: [], gone: ['gpu-node-7'] });
    expect(detail.open).to.equal(false);
  });
});
