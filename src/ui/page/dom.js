/** An element of the page's markup. */
export const byId = (id) => document.getElementById(id);

/** An element with properties or attributes, and its children. */
export function make(name, props = {}, ...children) {
  const element = document.createElement(name);
  const { data = {}, style = {}, ...rest } = props;
  for (const [key, value] of Object.entries(rest)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  Object.assign(element.dataset, data);
  Object.assign(element.style, style);
  element.append(...children);
  return element;
}

export function makeButton(text, action, props = {}) {
  const button = make('button', { type: 'button', ...props }, text);
  button.addEventListener('click', action);
  return button;
}

/** Makes these the choices of a select, beside the first and the one that is chosen. */
export function offerChoices(select, values, describe = (value) => value) {
  for (const option of [...select.options].slice(1)) if (!values.has(option.value) && !option.selected) option.remove();
  const known = new Set([...select.options].map(({ value }) => value));
  for (const value of values) if (!known.has(value)) select.append(make('option', { value }, describe(value)));
}

export function drawTable(title, header, rows) {
  const cells = (name, values) =>
    values.map((value) =>
      make(name, name === 'th' ? { scope: 'col' } : {}, value instanceof Node ? value : `${value}`),
    );
  return make(
    'div',
    { className: 'wide' },
    make(
      'table',
      {},
      make('caption', {}, title),
      make('thead', {}, make('tr', {}, ...cells('th', header))),
      make('tbody', {}, ...rows.map((row) => make('tr', {}, ...cells('td', row)))),
    ),
  );
}

/**
 * Replaces the children of an element, unless they would look the same: a screen reader would read them again, and an opened detail
 * would close. The focus stays where it was.
 */
export function redraw(element, ...children) {
  const next = make('div', {}, ...children);
  if (element.innerHTML === next.innerHTML) return;
  const focused = [...element.querySelectorAll('button')].indexOf(document.activeElement);
  element.replaceChildren(...next.childNodes);
  if (focused >= 0) element.querySelectorAll('button')[focused]?.focus({ preventScroll: true });
}
