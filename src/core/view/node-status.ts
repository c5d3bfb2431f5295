import type { GpuNodePartition, GpuReport } from '../../api/types.ts';
import { countWords } from '../text/cut-text.ts';
import { describeDuration } from '../text/duration.ts';
import { wrapHanging } from '../text/wrap.ts';
import { foreignOn } from '../wish/ownership.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { drawGpuPicture, type GpuPicture, legend, pictureGpu } from './gpu-picture.ts';
import { type Line, plainText, span, type Tone } from './line.ts';
import type { NodeHistory } from './node-timeline.ts';
import { urgencyOfNode, toneOf } from './urgency.ts';
import { listGoingClaims } from '../pods/reported-pods.ts';
import { describeFault } from '../report/device-fault.ts';

/** One node as people see it. */
export interface NodeStatusView {
  readonly node: string;
  readonly policy: string | undefined;
  readonly strategy: string | undefined;
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  /** Layout of the device in words. */
  readonly layout: string;
  /** What the agent would do. */
  readonly plan:
    | {
        readonly keep: number;
        readonly destroy: number;
        readonly create: number;
        readonly pods: readonly string[];
        /** ResourceClaims that have what it destroys. */
        readonly claims: readonly string[];
      }
    | undefined;
  readonly error: string | undefined;
  readonly driver: string | undefined;
  readonly gpus: readonly GpuPicture[];
}

export function viewNodeStatus({ metadata, spec, status }: GpuNodePartition): NodeStatusView {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const { device } = status ?? {};
  const foreign = foreignOn(device ?? {});
  const wishOf = ({ uuid }: GpuReport) => spec.wish?.gpus.find((one) => one.uuid === uuid);
  const { plan } = device ?? {};
  const isPlanned = plan !== undefined && (plan.gpusChanging ?? 0) > 0;
  return {
    node: metadata.name,
    policy: spec.policy?.name,
    strategy: spec.strategy,
    phase: status?.phase ?? 'Pending',
    reason: ready?.reason ?? 'AgentNotReporting',
    message: ready?.message ?? 'nothing is known yet',
    layout: status?.layout ?? '',
    plan: isPlanned
      ? {
          keep: plan.keep,
          destroy: plan.destroy,
          create: plan.create,
          pods: plan.affectedPods ?? [],
          claims: listGoingClaims(device),
        }
      : undefined,
    error: device && describeFault(device),
    driver: device?.driverVersion,
    gpus: (device?.gpus ?? []).map((gpu) => pictureGpu(device ?? {}, gpu, wishOf(gpu), foreign)),
  };
}

/** A node as `describe` would have it: phase and reason first, then a picture of each of its GPUs; identical ones are drawn once. */
export function drawNodeStatus(
  partition: GpuNodePartition,
  columns: number,
  history: NodeHistory = { timeline: [], events: [] },
): readonly Line[] {
  const view = viewNodeStatus(partition);
  const { node, policy, strategy, phase, reason, message, plan, error, driver } = view;
  const ready = partition.status?.conditions?.find(({ type }) => type === 'Ready');
  const tone = toneOf(urgencyOfNode(phase, reason));
  const since = ready && `${ready.status === 'True' ? '' : 'not '}Ready since ${ready.lastTransitionTime}`;
  const phases = phase === 'Ready' && ready?.status === 'True' ? [since] : [phase, since];
  const degraded = partition.status?.conditions?.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const claims = plan && plan.claims.length > 0 ? `; their claims: ${plan.claims.join(', ')}` : '';
  const pods = plan && plan.pods.length > 0 ? `; pods to evict: ${plan.pods.join(', ')}${claims}` : '';
  const change =
    plan && `keeps ${plan.keep}, destroys ${plan.destroy}, creates ${countWords(plan.create, 'instance')}${pods}`;
  const facts: readonly (readonly [key: string, text: string | undefined, tone?: Tone])[] = [
    ['phase', phases.filter((part) => part !== undefined).join(', '), tone],
    ['reason', message === '' || reason === phase ? message || reason : `${reason}: ${message}`, tone],
    ['degraded', degraded && `${degraded.reason}: ${degraded.message}`, 'bad'],
    ['error', error, 'bad'],
    ['plan', change],
    ['policy', policy === undefined ? 'none' : `${policy}${strategy === undefined ? '' : `, strategy ${strategy}`}`],
    ['driver', driver],
  ];
  const pictures = drawGpus(partition, view.gpus, columns);
  const isMarked = view.gpus.some(({ now, after }) => now !== undefined || after !== undefined);
  const notes: readonly Line[] = isMarked ? [[span(`  ${legend}`, 'dim')]] : [];
  return [
    [span(node, 'title')],
    ...facts.flatMap(([key, text, color]) => (text === undefined ? [] : drawFact(key, text, columns, color))),
    ...pictures,
    ...notes,
    ...drawHistory(history, columns),
  ];
}

const keyWidth = 9;

function drawFact(key: string, text: string, columns: number, tone: Tone = 'plain'): readonly Line[] {
  const [first = '', ...rest] = wrapHanging(text, Math.max(20, columns - keyWidth - 2));
  return [
    [span(`  ${key.padEnd(keyWidth)}`, 'dim'), span(first, tone)],
    ...rest.map((line): Line => [span(' '.repeat(keyWidth + 2)), span(line, tone)]),
  ];
}

const mostEvents = 5;

function drawHistory({ timeline, events, noEvents }: NodeHistory, columns: number): readonly Line[] {
  const steps = timeline.map(({ step, at, seconds }, index) => {
    const took = seconds === undefined || seconds === 0 ? '' : ` (+${describeDuration(seconds)})`;
    return `${step} ${index === 0 ? at : at.slice(11, 19)}${took}`;
  });
  return [
    ...(steps.length === 0 ? [] : drawFact('change', steps.join(', '), columns)),
    ...events
      .slice(0, mostEvents)
      .flatMap(({ at, reason, message, isWarning }) =>
        drawFact('event', `${at} ${reason}: ${message}`, columns, isWarning ? 'warn' : 'plain'),
      ),
    ...(noEvents === undefined ? [] : drawFact('event', noEvents, columns, 'dim')),
  ];
}

function drawGpus({ status }: GpuNodePartition, gpus: readonly GpuPicture[], columns: number): readonly Line[] {
  const { device } = status ?? {};
  const drawn = (device?.gpus ?? []).flatMap((gpu, at) => {
    const picture = gpus[at];
    if (!picture || !device) return [];
    const lines = drawGpuPicture('', picture, liveGeometry(device, gpu), columns);
    return [{ index: gpu.index, lines, text: lines.map(plainText).join('\n') }];
  });
  return groupAlike(drawn).flatMap(({ name, first: { lines } }) => {
    const [title = [], ...rest] = lines;
    return [[span(name, 'title'), ...title.slice(1)], ...rest];
  });
}

/** Adjacent GPUs that look alike, and the name of all of them: `GPU 0-7`. */
export function groupAlike<Drawn extends { readonly index: number; readonly text: string }>(
  drawn: readonly Drawn[],
): readonly { readonly name: string; readonly first: Drawn }[] {
  const groups: { readonly first: Drawn; last: number }[] = [];
  for (const one of drawn) {
    const group = groups.at(-1);
    if (group?.first.text === one.text && group.last === one.index - 1) group.last = one.index;
    else groups.push({ first: one, last: one.index });
  }
  return groups.map(({ first, last }) => ({
    first,
    name: first.index === last ? `GPU ${last}` : `GPU ${first.index}-${last}`,
  }));
}
