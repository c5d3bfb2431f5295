import { expect } from 'chai';
// @ts-expect-error -- the scripts of the page are plain JavaScript
import { startQuestions } from '../../src/ui/page/questions.js';
import { eventually } from '../support/eventually.ts';

type Listener = (event: { readonly target: FakeElement }) => unknown;

/** As much of an element as the script asks for: there is no browser here. */
class FakeElement {
  value = '';
  className = '';
  readonly dataset = {};
  readonly style = {};
  shown: readonly unknown[] = [];
  readonly elements: Record<string, FakeElement> = {};
  readonly answer?: FakeElement;
  readonly #listeners = new Map<string, Listener>();

  constructor(parts: { readonly answer?: FakeElement; readonly elements?: Record<string, FakeElement> } = {}) {
    Object.assign(this, parts);
  }

  addEventListener(name: string, listener: Listener): void {
    this.#listeners.set(name, listener);
  }

  happens(name: string): void {
    this.#listeners.get(name)?.({ target: this });
  }

  querySelector(): FakeElement | undefined {
    return this.answer;
  }

  append(...children: readonly unknown[]): void {
    this.shown = [...this.shown, ...children];
  }

  replaceChildren(...children: readonly unknown[]): void {
    this.shown = children;
  }

  get words(): string {
    return this.shown.map((child) => (child instanceof FakeElement ? child.words : String(child))).join(' ');
  }
}

describe('the questions of the page', () => {
  const globals = globalThis as unknown as Record<string, unknown>;
  const usual = { document: globals['document'], fetch: globals['fetch'], setInterval: globals['setInterval'] };
  const answer = new FakeElement();
  const [from, text] = [new FakeElement(), new FakeElement()];
  let reply: () => Promise<Response>;

  before(() => {
    const byId: Readonly<Record<string, FakeElement>> = {
      'plan-form': new FakeElement({ elements: { from, text } }),
      plan: new FakeElement({ answer }),
    };
    globals['document'] = {
      getElementById: (id: string) => byId[id] ?? new FakeElement(),
      createElement: () => new FakeElement(),
    };
    globals['fetch'] = (address: string) =>
      address.startsWith('policy?') ? reply() : Promise.resolve(new Response('0'));
    globals['setInterval'] = () => undefined;
    startQuestions(() => undefined);
  });
  after(() => Object.assign(globals, usual));

  const choose = (name: string): void => {
    from.value = name;
    from.happens('change');
  };

  it('start a change from a policy', async () => {
    reply = async () => new Response('kind: GpuPartitionPolicy');
    choose('inference');
    await eventually(
      () => text.value,
      (value) => value === 'kind: GpuPartitionPolicy',
      { what: 'the policy' },
    );
  });

  const failures: readonly (readonly [what: string, reply: () => Promise<Response>, words: string])[] = [
    [
      'a policy to start from is gone',
      async () => new Response('the cluster has no policy old', { status: 503 }),
      'cannot tell: the cluster has no policy old',
    ],
    ['nobody answers', () => Promise.reject(new Error('Failed to fetch')), 'cannot tell: Failed to fetch'],
  ];
  for (const [what, failure, words] of failures) {
    it(`keep what somebody has typed if ${what}, and say why`, async () => {
      reply = failure;
      text.value = 'typed';
      answer.replaceChildren();
      choose('old');
      await eventually(
        () => answer.words,
        (shown) => shown === words,
        { what: words },
      );
      expect(text.value).to.equal('typed');
    });
  }
});
