import { closed, describePod, drawDetail, openedNode, openFromAddress, openNode } from './detail.js';
import { byId } from './dom.js';
import { tellFreshness } from './freshness.js';
import { describeSlice } from './gpu.js';
import { applyFilters, describeUnder, filters, setFilter, updateNodes } from './nodes.js';
import { drawDoctor, drawGroups, drawPolicies } from './policies.js';
import { offerPolicies, startQuestions } from './questions.js';
import { state } from './state.js';
import { drawTotals } from './totals.js';

/** Shows only nodes with a word in them, or of a phase. */
function filterBy(name, value) {
  const { elements } = byId('filters');
  for (const key of ['text', 'phase']) elements[key].value = '';
  setFilter(name, value);
  noteFilters();
  byId('nodes-title').scrollIntoView();
}

function openWaiting() {
  const details = byId('waiting');
  details.open = true;
  details.scrollIntoView();
  details.querySelector('summary').focus();
}

function redrawTotals() {
  if (state.fleet) drawTotals({ filter: (urgency) => filterBy('phase', urgency), open: openWaiting });
}

/** @param all names of all nodes, if this is the beginning of the whole fleet */
function take({ nodes: list, gone, all, ...fleet }) {
  state.fleet = fleet;
  state.currentAt = performance.now() - (fleet.ageMs ?? 0);
  state.cutOff = undefined;
  const names = new Set(list.map(({ node }) => node));
  const lost = all ? [...state.nodes.keys()].filter((name) => !all.includes(name)) : gone;
  for (const name of lost) state.nodes.delete(name);
  for (const node of list) state.nodes.set(node.node, node);
  tellFreshness();
  redrawTotals();
  drawPolicies(fleet.policies, openNode);
  drawGroups(fleet.groups, (reason) => filterBy('text', reason), openNode);
  drawDoctor(fleet.doctor, openNode);
  offerPolicies(fleet.policies.map(({ policy }) => policy));
  updateNodes([...names, ...lost], openNode);
  if (openedNode() && (names.has(openedNode()) || lost.includes(openedNode()))) drawDetail();
  openFromAddress();
}

function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  for (const element of byId('filters').elements) {
    setFilter(element.name, wanted.get(element.name) ?? '');
  }
  applyFilters();
  openFromAddress();
}

function noteFilters() {
  const wanted = new URLSearchParams([...filters()].filter(([, value]) => value !== ''));
  history.replaceState(undefined, '', `#${wanted}`);
  applyFilters();
}

function showTip({ target, clientX, clientY }) {
  const tip = byId('tip');
  const bar = target.closest?.('.gpu');
  tip.hidden = !bar;
  if (!bar) return;
  // A modal dialog is above everything that is not in it.
  const dialog = bar.closest('dialog');
  (dialog ?? document.body).append(tip);
  const { gpu, slice, text } = describeUnder(bar, clientX);
  tip.textContent = `GPU ${gpu.index}: ${slice ? describeSlice(slice, dialog ? describePod : undefined) : text} (${gpu.uuid})`;
  tip.style.left = `${Math.max(0, Math.min(clientX + 12, innerWidth - 370))}px`;
  tip.style.top = `${clientY + 16}px`;
}

byId('filters').addEventListener('input', noteFilters);
byId('filters').addEventListener('submit', (event) => event.preventDefault());
byId('detail').addEventListener('close', closed);
addEventListener('hashchange', readAddress);
addEventListener('pointermove', showTip);
addEventListener('pointerdown', showTip);
readAddress();
startQuestions(redrawTotals);
const source = new EventSource('changes');
source.addEventListener('message', ({ data }) => take(JSON.parse(data)));
source.addEventListener('error', () => {
  // It is closed for good where the answer was no stream: another gpu-partition ui has taken the port, with an address of its own.
  state.cutOff =
    source.readyState === EventSource.CLOSED
      ? 'gpu-partition ui was started again; open the address that it prints'
      : 'gpu-partition ui does not answer; is it still running?';
  tellFreshness();
});
setInterval(tellFreshness, 1000);
