import { byId, make, makeButton, redraw } from './dom.js';
import { drawReason } from './guide.js';
import { count, clock, since } from './words.js';

const mostNamed = 8;
const mostEdits = 3;
const mostFields = 4;

function describePlan({ gpusChanging, instancesKept, instancesDestroyed, instancesCreated, podsToEvict }) {
  const pods = podsToEvict > 0 ? `; ${podsToEvict === 1 ? '1 pod has' : `${podsToEvict} pods have`} to go` : '';
  const gpus = gpusChanging === 1 ? '1 GPU changes' : `${gpusChanging} GPUs change`;
  return `to do: ${gpus}; instances: ${instancesKept} stay, ${instancesDestroyed} go, ${instancesCreated} come${pods}`;
}

/** What is special about a policy, in a word each. */
function drawMarks({ mode, isPaused, deletingSince, refusal }) {
  const marks = [
    refusal && ['broken', 'failed'],
    deletingSince && [`being deleted ${since(deletingSince)}`, 'changing'],
    isPaused && ['paused', 'waiting'],
    mode === 'Plan' && ['mode Plan: changes nothing', 'unmanaged'],
  ].filter(Boolean);
  return marks.map(([text, urgency]) => make('span', { className: 'mark', data: { urgency } }, text));
}

/** Done, in flight, failed and left, to scale. */
function drawProgress({ ready, matched, failed, inFlight }) {
  const parts = [
    ['ready', ready],
    ['changing', inFlight.length],
    ['failed', failed],
  ];
  const flight = inFlight.length > 0 ? `, ${count(inFlight.length, 'node')} in flight` : '';
  const label = `${ready} of ${matched} nodes ready${flight}${failed > 0 ? `, ${failed} failed` : ''}`;
  const bars = parts.map(([urgency, many]) =>
    make('i', { data: { urgency }, style: { width: `${(100 * many) / Math.max(1, matched)}%` } }),
  );
  return make('div', { className: 'progress', role: 'img', ariaLabel: label }, ...bars);
}

function drawFlight({ inFlight, maxUnavailable }, openNode) {
  if (inFlight.length === 0) return [];
  const named = inFlight.slice(0, mostNamed).flatMap(({ node, since: at, deadline }, index) => {
    const isOver = deadline && Date.parse(deadline) < Date.now();
    const until = deadline && !isOver ? ` (pods to be gone by ${clock(deadline)})` : '';
    const link = makeButton(node, () => openNode(node), { className: 'link' });
    return [index === 0 ? '' : ', ', link, at ? ` ${since(at)}${until}` : ''];
  });
  const more = inFlight.length > mostNamed ? [` and ${inFlight.length - mostNamed} more`] : [];
  return [make('p', {}, `in flight (${inFlight.length} of at most ${maxUnavailable}): `, ...named, ...more)];
}

/** Who changed it, when and how. */
function drawEdits(edits) {
  return edits.slice(0, mostEdits).map(({ generation, at, by, differences }) => {
    const shown = (differences ?? []).slice(0, mostFields);
    const more = (differences ?? []).length - shown.length;
    const what = [...shown, ...(more > 0 ? [`${count(more, 'field')} more`] : [])].join('; ');
    const words = differences === undefined ? '' : `: ${what || 'nothing differs'}`;
    return make('p', { className: 'edit' }, `generation ${generation}, ${clock(at)}${by ? ` by ${by}` : ''}${words}`);
  });
}

function drawPolicy(policy, openNode) {
  const {
    policy: name,
    urgency,
    reason,
    message,
    ready,
    matched,
    rollout,
    canary,
    plan,
    demand,
    schedule,
    refusal,
  } = policy;
  const texts = [
    schedule?.words,
    rollout?.words,
    canary.length > 0 && `began with ${canary.slice(0, mostNamed).join(', ')}`,
    plan && describePlan(plan),
  ].filter(Boolean);
  return make(
    'li',
    { data: { urgency } },
    make('h3', {}, name, ...drawMarks(policy)),
    make('p', {}, drawReason('policy', reason), ` ${ready}/${matched} ready`),
    drawProgress(policy),
    make('p', refusal ? { className: 'trouble' } : {}, message),
    ...(refusal && !message.includes(refusal.message) ? [make('p', { className: 'trouble' }, refusal.message)] : []),
    ...demand.map(({ words, unmet }) => make('p', unmet > 0 ? { className: 'trouble' } : {}, `wants ${words}`)),
    ...texts.map((text) => make('p', {}, text)),
    ...drawFlight(policy, openNode),
    ...drawEdits(policy.edits),
  );
}

export function drawPolicies(policies, openNode) {
  const none = make('li', {}, 'no policy: nothing partitions the GPUs of this cluster');
  redraw(byId('policies'), ...(policies.length === 0 ? [none] : policies.map((one) => drawPolicy(one, openNode))));
}

function drawGroup({ urgency, phase, reason, count: many, nodes, messages }, filter, openNode) {
  const named = nodes.flatMap((node) => [makeButton(node, () => openNode(node), { className: 'link' }), ' ']);
  const more = many > nodes.length ? [makeButton(`all ${many}`, () => filter(reason), { className: 'link' })] : [];
  return make(
    'li',
    { data: { urgency } },
    make(
      'h3',
      {},
      `${count(many, 'node')} `,
      make(
        'span',
        { className: 'phase', data: { urgency } },
        ...(reason === phase ? [] : [`${phase}: `]),
        drawReason('node', reason),
      ),
    ),
    ...messages
      .filter(({ message }) => message !== '')
      .map(({ message, count: alike }) => make('p', {}, `${messages.length > 1 ? `${alike} × ` : ''}${message}`)),
    make('p', {}, ...named, ...more),
  );
}

/** Nodes that are not Ready, joined by what keeps them. */
export function drawGroups(groups, filter, openNode) {
  byId('attention').hidden = groups.length === 0;
  redraw(byId('groups'), ...groups.map((group) => drawGroup(group, filter, openNode)));
}

/** A finding of the doctor in one line: what shows it, and what to do. */
export function drawFinding({ code, node, evidence, remedy }, openNode) {
  const about = node && openNode ? [makeButton(node, () => openNode(node), { className: 'link' }), ' '] : [];
  const what = make('span', { className: 'trouble' }, code);
  return make('p', {}, what, ' ', ...about, `${evidence} → ${remedy}`);
}

/** What the doctor finds, for people who do not open each node; and what it cannot tell here. */
export function drawDoctor({ count: many, findings, notChecked }, openNode) {
  byId('doctor-count').textContent = `: ${count(many, 'finding')}`;
  redraw(
    byId('findings'),
    ...findings.flatMap(({ code, count: alike, first }) => [
      ...first.map((finding) => drawFinding(finding, openNode)),
      ...(alike > first.length
        ? [make('p', {}, `${code}: ${alike - first.length} more, on their nodes; gpu-partition doctor -o json has all`)]
        : []),
    ]),
    ...notChecked.map(({ why, codes }) => make('p', {}, make('small', {}, `not checked: ${codes.join(', ')}: ${why}`))),
  );
}
