import { byId, make, makeButton } from './dom.js';

/** docs/errors.md by table: what each reason means, and what to do. */
const guide = __GUIDE__;

/** `code` and plain text of a cell in Markdown. */
function drawMarkdown(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? make('code', {}, part) : part));
}

/** What docs/errors.md says of a reason. @returns a paragraph; undefined for a reason of another version */
export function explainReason(table, reason) {
  const { rows, anchor } = guide[table];
  if (rows[reason] === undefined) return undefined;
  return make(
    'p',
    { className: 'guide' },
    make('b', {}, `${reason}: `),
    ...drawMarkdown(rows[reason]),
    make('small', {}, ` (docs/errors.md#${anchor})`),
  );
}

/** A reason that explains itself. @param table policy, node or code */
export function drawReason(table, reason) {
  if (guide[table].rows[reason] === undefined) return document.createTextNode(reason);
  return makeButton(reason, () => openGuide(table, reason), {
    className: 'reason',
    title: 'What it means, what to do',
  });
}

function openGuide(table, reason) {
  const dialog = byId('guide');
  dialog.replaceChildren(
    makeButton('Close', () => dialog.close(), { className: 'close' }),
    make('h2', { id: 'guide-title' }, 'What it means, what to do'),
    explainReason(table, reason),
  );
  dialog.showModal();
}
