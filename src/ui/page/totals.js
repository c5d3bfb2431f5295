import { byId, make, makeButton, redraw } from './dom.js';
import { state } from './state.js';
import { clock, duration } from './words.js';

/** A figure with its name, which filters nodes where it can. */
function drawTile(name, value, { kind = '', note = '', action } = {}) {
  const shown = action ? makeButton(value, action) : value;
  return make(
    'div',
    { data: { kind } },
    make('dt', {}, name),
    make('dd', {}, shown, ...(note === '' ? [] : [make('small', {}, ` ${note}`)])),
  );
}

function describeWindow({ policy, opensAt }) {
  if (!opensAt) return ['open', policy];
  const seconds = (Date.parse(opensAt) - Date.now()) / 1000;
  return [clock(opensAt), `in ${duration(Math.max(0, seconds))}, ${policy}`];
}

/** @param filter shows only nodes of a urgency @param open shows the pods that wait */
export function drawTotals({ filter, open }) {
  const { totals } = state.fleet;
  const { nodes, byUrgency, gpus, sickGpus, profiles, whole, evictions, window, frozen } = totals;
  const { waitingPods } = state;
  const tiles = [
    drawTile('nodes', `${nodes}`),
    ...byUrgency.map((one) =>
      drawTile(one.urgency, `${one.count}`, { kind: one.urgency, action: () => filter(one.urgency) }),
    ),
    drawTile('GPUs', `${gpus}`, {
      note: sickGpus > 0 ? `${sickGpus} not well` : '',
      kind: sickGpus > 0 ? 'failed' : '',
    }),
    ...(whole.gpus > 0
      ? [drawTile('whole GPUs', `${whole.gpus - whole.used} free`, { note: `of ${whole.gpus}` })]
      : []),
    ...profiles.map(({ profile, offered, used, free, closed }) =>
      drawTile(profile, `${free} free`, {
        note: `of ${offered} offered, ${used} used${closed > 0 ? `; ${closed} on closed nodes` : ''}`,
      }),
    ),
    ...(waitingPods === undefined
      ? []
      : [
          drawTile('pods wait for GPUs', waitingPods === null ? 'unknown' : String(waitingPods), {
            kind: waitingPods > 0 ? 'waiting' : '',
            action: open,
          }),
        ]),
    drawTile('evictions ahead', `${evictions}`, { kind: evictions > 0 ? 'changing' : '' }),
    ...(window ? [window].map(describeWindow).map(([value, note]) => drawTile('next window', value, { note })) : []),
  ];
  redraw(byId('totals'), ...tiles);
  byId('freeze').hidden = !frozen;
  if (frozen) byId('freeze').textContent = `FROZEN: ${frozen}`;
}
