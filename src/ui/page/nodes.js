import { byId, make, makeButton, offerChoices } from './dom.js';
import { describeGpu, drawGpu, groupGpus } from './gpu.js';
import { drawReason } from './guide.js';
import { state } from './state.js';
import { clock, count, ranges } from './words.js';

const urgencies = ['failed', 'blocked', 'changing', 'waiting', 'ready', 'unmanaged'];
/** Names of slices fit on a tile from three eighths of a GPU on. */
const leastOnTile = 0.37;

const tiles = new Map();
const rows = new Map();
const changed = new Set();
let frame;
let open = () => undefined;
/** Column and direction of the table. */
let order = { column: 'urgency', isDown: false };

export const filters = () => new FormData(byId('filters'));

export const tileOf = (name) => tiles.get(name)?.firstChild;

const wordOf = ({ phase, reason }) => (reason === phase ? phase : `${phase}: ${reason}`);

const keyOf = ({ urgency, node }) => `${urgencies.indexOf(urgency)} ${node}`;

/** What a node is found by. */
function hayOf(node) {
  node.hay ??= [
    node.node,
    node.reason,
    node.message,
    ...node.gpus.flatMap(({ uuid, product, pods, claims, now }) => [
      uuid,
      product,
      ...pods,
      ...claims,
      ...(now ?? []).flatMap((slice) => [...slice.pods, ...slice.claims]),
    ]),
  ]
    .join('\n')
    .toLowerCase();
  return node.hay;
}

export function isShown(node, data) {
  const text = String(data.get('text') ?? '').toLowerCase();
  const phase = data.get('phase');
  return (
    ['policy', 'pool'].every((key) => !data.get(key) || node[key] === data.get(key)) &&
    (!phase || node.phase === phase || node.urgency === phase) &&
    (text === '' || hayOf(node).includes(text))
  );
}

function drawTile(node) {
  const groups = groupGpus(node.gpus, false);
  const models = [...Map.groupBy(node.gpus, ({ product }) => product)];
  const model = models.map(([product, gpus]) => `${gpus.length} × ${product}`).join(', ');
  const button = makeButton('', () => open(node.node), { className: 'tile', data: { urgency: node.urgency } });
  button.append(
    make('b', {}, node.node),
    make('span', { className: 'phase', data: { urgency: node.urgency } }, wordOf(node)),
    make('span', { className: 'model' }, model || 'no GPU reported'),
    make('span', { className: 'spoken' }, `${node.used} of ${node.instances} slices in use`),
    ...groups.flatMap((gpus) => [
      make('span', { className: 'index', ariaHidden: 'true' }, ranges(gpus.map(({ index }) => index))),
      drawGpu(gpus[0], gpus[0].now, leastOnTile),
    ]),
  );
  return button;
}

function drawRow(node) {
  const cells = [
    makeButton(node.node, () => open(node.node), { className: 'link' }),
    node.pool,
    node.policy ?? '',
    make('span', { className: 'phase', data: { urgency: node.urgency } }, node.phase),
    node.since ? clock(node.since) : '',
    `${node.used}/${node.instances}`,
    node.layout,
    make('span', {}, ...(node.reason === node.phase ? [] : [drawReason('node', node.reason), ' ']), node.message),
  ];
  return cells.map((cell) => make('td', {}, cell));
}

const columns = [
  ['node', ({ node }) => node],
  ['pool', ({ pool, node }) => `${pool} ${node}`],
  ['policy', ({ policy, node }) => `${policy ?? ''} ${node}`],
  ['urgency', keyOf],
  ['since', ({ since, node }) => `${since ?? ''} ${node}`],
  [
    'used',
    ({ used, instances, node }) => `${String(Math.round((1000 * used) / (instances || 1))).padStart(4, '0')} ${node}`,
  ],
  ['layout', ({ layout, node }) => `${layout} ${node}`],
  ['reason', ({ reason, node }) => `${reason} ${node}`],
];
const titles = { urgency: 'phase' };

function sortKey(node) {
  return columns.find(([name]) => name === order.column)[1](node);
}

/** Places an item among others by their keys. */
function place(list, item, key, isDown = false) {
  const isBefore = (a, b) => (isDown ? a > b : a < b);
  item.dataset.key = key;
  if (item.parentElement === list) {
    const { previousElementSibling: before, nextElementSibling: after } = item;
    if (!(before && isBefore(key, before.dataset.key)) && !(after && isBefore(after.dataset.key, key))) return;
    item.remove();
  }
  const last = list.lastElementChild;
  if (!last || !isBefore(key, last.dataset.key)) return list.append(item);
  list.insertBefore(
    item,
    [...list.children].find((other) => isBefore(key, other.dataset.key)),
  );
}

const isTable = () => byId('filters').elements.view.value === 'table';

function tbody() {
  const region = byId('table');
  if (!region.firstChild) drawHead();
  return region.querySelector('tbody');
}

function drawHead() {
  const cells = columns.map(([name]) => {
    const isSorted = name === order.column;
    const sort = () => {
      order = { column: name, isDown: isSorted && !order.isDown };
      rows.clear();
      byId('table').replaceChildren();
      for (const node of state.nodes.keys()) changed.add(node);
      schedule();
      drawHead();
      byId('table').querySelectorAll('th button')[columns.findIndex(([one]) => one === name)].focus();
    };
    const arrow = isSorted ? (order.isDown ? ' ↓' : ' ↑') : '';
    const ariaSort = isSorted ? (order.isDown ? 'descending' : 'ascending') : 'none';
    return make('th', { scope: 'col', 'aria-sort': ariaSort }, makeButton(`${titles[name] ?? name}${arrow}`, sort));
  });
  byId('table').replaceChildren(make('table', {}, make('thead', {}, make('tr', {}, ...cells)), make('tbody', {})));
}

function updateItem(name, data) {
  const node = state.nodes.get(name);
  const [items, kind] = isTable() ? [rows, 'tr'] : [tiles, 'li'];
  const item = items.get(name);
  if (!node) {
    for (const list of [rows, tiles]) {
      list.get(name)?.remove();
      list.delete(name);
    }
    return;
  }
  const hadFocus = item?.contains(document.activeElement);
  const next = item ?? make(kind);
  next.replaceChildren(...(isTable() ? drawRow(node) : [drawTile(node)]));
  next.hidden = !isShown(node, data);
  next.drawn = node;
  if (isTable()) place(tbody(), next, sortKey(node), order.isDown);
  else place(byId('nodes'), next, keyOf(node));
  items.set(name, next);
  if (hadFocus) next.querySelector('button').focus({ preventScroll: true });
}

/** Time budget of a frame, in ms: what has not been drawn by then is drawn in the next. */
const frameMs = 25;

function draw() {
  const started = performance.now();
  const data = filters();
  for (const name of changed) {
    if (performance.now() - started > frameMs) break;
    changed.delete(name);
    updateItem(name, data);
  }
  frame = changed.size > 0 ? requestAnimationFrame(draw) : undefined;
  tellCount();
}

function schedule() {
  frame ??= requestAnimationFrame(draw);
}

/** Sets a filter, even to a value that no node has: a link may be older than the fleet. */
export function setFilter(name, value) {
  const element = byId('filters').elements[name];
  const isKnown = element.tagName !== 'SELECT' || [...element.options].some((option) => option.value === value);
  if (!isKnown) element.append(make('option', { value }, value));
  element.value = value;
}

/** Fills the selects with what there is. */
function offerFilters() {
  const { policy, pool, phase } = byId('filters').elements;
  const nodes = [...state.nodes.values()];
  offerChoices(policy, new Set(state.fleet.policies.map((one) => one.policy)));
  offerChoices(pool, new Set(nodes.map((node) => node.pool).filter(Boolean)));
  offerChoices(phase, new Set(nodes.map((node) => node.phase)));
}

function tellCount() {
  const data = filters();
  const shown = [...state.nodes.values()].filter((node) => isShown(node, data)).length;
  const text = state.fleet ? `${shown} of ${count(state.nodes.size, 'node')}` : 'loading';
  if (byId('state').textContent !== text) byId('state').textContent = text;
}

/** @param names of nodes that changed, came or went */
export function updateNodes(names, openNode) {
  open = openNode;
  const sorted = [...names].toSorted((a, b) => {
    const [one, other] = [state.nodes.get(a), state.nodes.get(b)];
    return one && other ? (keyOf(one) < keyOf(other) ? -1 : 1) : 0;
  });
  for (const name of sorted) changed.add(name);
  offerFilters();
  schedule();
}

/** After an edit of the filters: hides, and draws what was not drawn in this view. */
export function applyFilters() {
  const data = filters();
  byId('nodes').hidden = isTable();
  byId('table').hidden = !isTable();
  if (isTable()) tbody();
  const items = isTable() ? rows : tiles;
  for (const [name, node] of state.nodes) {
    const item = items.get(name);
    if (!item || item.drawn !== node) changed.add(name);
    else item.hidden = !isShown(node, data);
  }
  if (changed.size > 0) schedule();
  tellCount();
}

/** What is under the pointer, in words. */
export function describeUnder(bar, x) {
  const { gpu, slices } = bar.sliced;
  const { left, width } = bar.getBoundingClientRect();
  const unit = ((x - left) / width) * gpu.units;
  const slice = (slices ?? []).find(({ start, size }) => unit >= start && unit < start + size);
  return { gpu, slice, text: slice ? undefined : gpu.now === null || gpu.error ? describeGpu(gpu) : 'no slice' };
}
