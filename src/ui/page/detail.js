import { byId, drawTable, make, makeButton } from './dom.js';
import { describeGpu, describeSlice, drawGpu, groupGpus, nameHolders } from './gpu.js';
import { drawReason, explainReason } from './guide.js';
import { tileOf } from './nodes.js';
import { drawFinding } from './policies.js';
import { state } from './state.js';
import { clock, duration, ranges, since } from './words.js';

/** Names of slices fit in the dialog from an eighth of a GPU on. */
const leastInDetail = 0.12;

let opened;
/** What was asked for when the node was opened, and how the node was then. */
let history;

const nameIn = () => new URLSearchParams(location.hash.slice(1)).get('node') ?? undefined;

export const openedNode = () => opened;

/** Opens a node, and says so in the address. */
export function openNode(name) {
  opened = name;
  history = undefined;
  const wanted = new URLSearchParams(location.hash.slice(1));
  wanted.set('node', name);
  globalThis.history.replaceState(undefined, '', `#${wanted}`);
  drawDetail();
  if (!byId('detail').open) byId('detail').showModal();
  byId('detail').scrollTop = 0;
  void askHistory(name);
}

/** Opens the node of the address, once it is known. */
export function openFromAddress() {
  const name = nameIn();
  if (name !== undefined && name !== opened && state.nodes.has(name)) openNode(name);
}

export function closed() {
  const name = opened;
  opened = undefined;
  const wanted = new URLSearchParams(location.hash.slice(1));
  wanted.delete('node');
  globalThis.history.replaceState(undefined, '', `#${wanted}`);
  tileOf(name)?.focus();
}

async function askHistory(name) {
  try {
    const response = await fetch(`history?${new URLSearchParams({ node: name })}`);
    if (!response.ok) throw new Error(await response.text());
    history = await response.json();
  } catch (error) {
    history = { trouble: error.message };
  }
  if (opened === name) drawDetail();
}

export function drawDetail() {
  const node = state.nodes.get(opened);
  const dialog = byId('detail');
  if (!node) return dialog.close();
  const close = makeButton('Close', () => dialog.close(), { className: 'close' });
  const hadFocus = dialog.contains(document.activeElement);
  const { scrollTop } = dialog;
  // Close is first, so that the dialog opens at the top: it then has the focus.
  dialog.replaceChildren(
    close,
    make('h2', { id: 'detail-title' }, node.node),
    make(
      'p',
      { className: 'lead' },
      make(
        'b',
        { className: 'phase', data: { urgency: node.urgency } },
        ...(node.reason === node.phase ? [] : [`${node.phase}: `]),
        drawReason('node', node.reason),
      ),
      ` ${node.message}`,
      ...(node.since
        ? [make('small', {}, ` ${node.phase === 'Ready' ? 'Ready' : 'not Ready'} ${since(node.since)}`)]
        : []),
    ),
    ...(node.urgency === 'ready' ? [] : [explainReason('node', node.reason)].filter(Boolean)),
    ...[node.error, describePlan(node.plan)].filter(Boolean).map((text) => make('p', {}, text)),
    make('p', {}, describeNode(node)),
    ...drawFindings(node),
    ...drawTimeline(),
    ...groupGpus(node.gpus, true).flatMap(drawGroup),
    ...drawEvents(),
    ...drawCommands(node),
  );
  dialog.scrollTop = scrollTop;
  if (hadFocus) close.focus({ preventScroll: true });
}

function describeNode({ policy, strategy, pool, driver }) {
  const facts = [
    policy ? `policy ${policy}, strategy ${strategy}` : 'no policy',
    pool && `pool ${pool}`,
    driver && `driver ${driver}`,
  ];
  return facts.filter(Boolean).join(', ');
}

function drawFindings({ findings }) {
  if (findings.length === 0) return [];
  return [make('h3', {}, 'What is wrong'), ...findings.map((finding) => drawFinding(finding))];
}

function describePlan(plan) {
  if (!plan) return undefined;
  const claims = plan.claims.length > 0 ? `; their claims: ${plan.claims.join(', ')}` : '';
  const pods = plan.pods.length > 0 ? `; pods to evict: ${plan.pods.join(', ')}${claims}` : '';
  return `plan: keeps ${plan.keep}, destroys ${plan.destroy}, creates ${plan.create}${pods}`;
}

function drawTimeline() {
  const steps = history?.timeline ?? [];
  if (steps.length === 0) return [];
  const items = steps.map(({ step, at, seconds }) =>
    make(
      'li',
      {},
      make('b', {}, step),
      ` ${clock(at)}`,
      ...(seconds > 0 ? [make('small', {}, ` +${duration(seconds)}`)] : []),
    ),
  );
  return [make('h3', {}, 'Last change'), make('ol', { className: 'timeline' }, ...items)];
}

function drawEvents() {
  if (!history) return [];
  if (history.trouble) return [make('p', {}, `cannot tell its history: ${history.trouble}`)];
  if (history.noEvents) return [make('p', {}, history.noEvents)];
  if (history.events.length === 0) return [];
  const rows = history.events.map(({ at, isWarning, reason, message, count }) => [
    clock(at),
    make('span', isWarning ? { className: 'trouble' } : {}, reason),
    `${message}${count > 1 ? ` (${count} times)` : ''}`,
  ]);
  return [drawTable('Events', ['when', 'reason', 'message'], rows)];
}

/** A pod of the opened node, and since when it runs if that is known. */
export function describePod(pod) {
  const at = history?.podsSince?.[pod];
  return at ? `${pod} ${since(at)}` : pod;
}

function drawGroup(gpus) {
  const [gpu] = gpus;
  const health = gpu.health ? `: ${gpu.health}` : '';
  const title = make('h3', {}, `GPU ${ranges(gpus.map(({ index }) => index))} ${gpu.product}${health}`);
  const now = drawGpu(gpu, gpu.now, leastInDetail, `now: ${describeGpu(gpu)}`);
  const rows = (gpu.now ?? []).map(({ profile, start, size, state: word, busy, pods, claims }) => [
    profile,
    `${start}:${size}`,
    word === 'going' ? `goes, ${busy ? 'in use' : 'free'}` : busy ? 'in use' : word,
    nameHolders({ pods, claims }, describePod),
  ]);
  const table = rows.length > 0 ? [drawTable('', ['profile', 'placement', 'state', 'pods'], rows)] : [];
  const pods = gpu.pods.length > 0 ? [make('p', {}, `whole GPU: ${nameHolders(gpu, describePod)}`)] : [];
  const uuids = make('p', { className: 'uuids' }, gpus.map(({ uuid }) => uuid).join(' '));
  return [title, now, ...drawAfter(gpu), ...table, ...pods, uuids];
}

function drawAfter(gpu) {
  if (!gpu.after) return [];
  if (gpu.after.refusal) return [make('p', { className: 'trouble' }, `cannot change: ${gpu.after.refusal}`)];
  const { slices } = gpu.after;
  const label = `after: ${(slices ?? []).map((slice) => describeSlice(slice)).join('; ') || 'whole'}`;
  return [make('p', {}, 'after the change'), drawGpu(gpu, slices, leastInDetail, label)];
}

function drawCommands({ node, urgency }) {
  const commands = [
    `gpu-partition status ${node}`,
    `kubectl describe gpn ${node}`,
    `kubectl get events -A --field-selector involvedObject.name=${node}`,
    ...(urgency === 'failed' || urgency === 'blocked' ? [`gpu-partition retry ${node}`] : []),
  ];
  const items = commands.map((text) => {
    const copy = makeButton(
      'Copy',
      () => void navigator.clipboard.writeText(text).then(() => (copy.textContent = 'Copied')),
      {
        ariaLabel: `Copy ${text}`,
      },
    );
    return make('li', {}, make('code', {}, text), ' ', copy);
  });
  return [make('h3', {}, 'In a terminal'), make('ul', { className: 'commands' }, ...items)];
}
