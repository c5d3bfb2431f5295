import { byId, drawTable, make, offerChoices } from './dom.js';
import { state } from './state.js';
import { count } from './words.js';

function drawWaiting(groups) {
  if (groups === null) return ['you may not list pods: ask somebody who may'];
  if (groups.length === 0) return ['no pod waits for a GPU'];
  return groups.map(({ count: many, pods, asks, code, message, demands, suggestions }) =>
    make(
      'section',
      {},
      make('h3', {}, many === 1 ? pods[0] : `${many} pods alike: ${pods.join(', ')}${many > pods.length ? ', …' : ''}`),
      make('p', {}, `asks for ${asks}. ${code}: ${message}`),
      ...demands.map((one) => make('p', {}, one.message)),
      ...(suggestions.length === 0
        ? []
        : [
            make('p', {}, 'What would let it run:'),
            make('ul', {}, ...suggestions.map((one) => make('li', {}, one.message))),
          ]),
    ),
  );
}

function drawWaste({ samples, gpus, resources, layouts }) {
  const idle = samples === 1 ? 'nobody uses now' : `nobody used whenever somebody looked here (${samples} times)`;
  const none = [{ message: 'no other layout of a policy would have served more' }];
  return [
    drawTable(
      'Stranded slices: they belong to no instance and cannot be allocated',
      ['policy', 'product', 'GPUs', 'compute', 'memory'],
      gpus.map(({ policy, product, gpus: many, slices, stranded }) => [
        policy ?? 'none',
        product,
        many,
        `${stranded.compute} of ${slices.compute}`,
        `${stranded.memory} of ${slices.memory}`,
      ]),
    ),
    drawTable(
      `Instances that ${idle}`,
      ['policy', 'profile', 'unused', 'most on'],
      gpus.flatMap(({ policy, profiles }) =>
        profiles
          .filter(({ neverUsed }) => neverUsed > 0)
          .map(({ profile, instances, neverUsed, nodes }) => [
            policy ?? 'none',
            profile,
            `${neverUsed} of ${instances}`,
            nodes
              .slice(0, 5)
              .map(({ node, neverUsed: many }) => `${node} (${many})`)
              .join(', '),
          ]),
      ),
    ),
    drawTable(
      'What is offered, held by pods, and asked for by pods that wait',
      ['resource', 'offered', 'held', 'waiting'],
      resources.map(({ resource, offered, held, mostWaiting }) => [resource, offered, held, mostWaiting ?? 'unknown']),
    ),
    ...(layouts.length > 0 ? layouts : none).map(({ message }) => make('p', {}, message)),
  ];
}

function drawPlan({ summary, findings, evictions, lines }) {
  const pods = evictions.map(({ node, pod, fate }) => [pod, node, fate]);
  return [
    make('p', { className: 'lead' }, summary),
    ...findings.map(({ message }) => make('p', { className: 'trouble' }, `finding: ${message}`)),
    ...(pods.length > 0
      ? [drawTable(`${count(pods.length, 'pod')} on slices that go`, ['pod', 'node', 'fate'], pods)]
      : []),
    make('pre', { tabIndex: 0, role: 'region', ariaLabel: 'The plan' }, lines.join('\n')),
  ];
}

/** Asks gpu-partition ui, and shows the answer or why there is none. */
async function ask(place, question, draw, read = (response) => response.json()) {
  place.replaceChildren('looking');
  try {
    const response = await question();
    if (!response.ok) throw new Error(await response.text());
    place.replaceChildren(...draw(await read(response)));
  } catch (error) {
    const words = `cannot tell: ${error.message}`.split('\n');
    place.replaceChildren(...words.map((line) => make('p', { className: 'trouble' }, line)));
  }
}

function answerOnOpen(id, draw) {
  const details = byId(id);
  details.addEventListener('toggle', () => {
    if (details.open) void ask(details.querySelector('.answer'), () => fetch(id), draw);
  });
}

/** How often it is asked how many pods wait, in ms: it is a request to the API server. */
const countMs = 30_000;

async function countWaiting(redrawTotals) {
  try {
    const response = await fetch('waiting-count');
    if (response.ok) state.waitingPods = await response.json();
  } catch {
    // What does not answer is told by its age.
  }
  redrawTotals();
}

/** The parts of the page that are read when somebody looks. */
export function startQuestions(redrawTotals) {
  answerOnOpen('waiting', drawWaiting);
  answerOnOpen('waste', drawWaste);
  const form = byId('plan-form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const body = form.elements.text.value;
    void ask(byId('plan').querySelector('.answer'), () => fetch('plan', { method: 'POST', body }), drawPlan);
  });
  form.elements.from.addEventListener('change', ({ target }) => {
    if (target.value === '') return;
    const question = () => fetch(`policy?${new URLSearchParams({ name: target.value })}`);
    // Without an answer, what somebody has typed stays.
    const fill = (text) => {
      form.elements.text.value = text;
      return [];
    };
    void ask(byId('plan').querySelector('.answer'), question, fill, (response) => response.text());
  });
  void countWaiting(redrawTotals);
  setInterval(() => {
    if (document.visibilityState === 'visible') void countWaiting(redrawTotals);
  }, countMs);
}

/** Policies that a change may start from. */
export function offerPolicies(names) {
  offerChoices(byId('plan-form').elements.from, new Set(names), (name) => `policy ${name}`);
}
