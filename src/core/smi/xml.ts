/** An element of `nvidia-smi -q -x`. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

/** Any program may choose its name, so the content of this element is text, whatever it looks like. */
const RAW = 'process_name';

interface Open {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** Reads the root element; undefined if the document is cut off or is not XML. Namespaces and CDATA are not in this format. */
export function readXml(document: string): XmlElement | undefined {
  const root: Open = { name: '', attributes: {}, children: [], text: '' };
  const open: Open[] = [root];
  const token =
    /<(?:[?!][^<>]*|(?<close>\/)?(?<name>[A-Za-z_][\w.-]*)(?<attributes>(?:\s+[\w.:-]+="[^"<]*")*)\s*(?<empty>\/)?)>/g;
  let end = 0;
  for (let match = token.exec(document); match !== null; match = token.exec(document)) {
    const current = open.at(-1);
    if (current === undefined) return undefined;
    const text = document.slice(end, match.index);
    if (text.includes('<')) return undefined;
    current.text += text;
    end = token.lastIndex;
    const { close, name, attributes = '', empty } = match.groups ?? {};
    if (name === undefined) continue;
    if (close !== undefined) {
      const parent = open.at(-2);
      if (current.name !== name || parent === undefined) return undefined;
      open.pop();
      parent.children.push(finish(current));
      continue;
    }
    const element: Open = { name, attributes: readAttributes(attributes), children: [], text: '' };
    if (empty !== undefined) {
      current.children.push(finish(element));
      continue;
    }
    open.push(element);
    if (name !== RAW) continue;
    const stop = document.indexOf(`</${RAW}>\n`, end);
    if (stop === -1) return undefined;
    element.text = document.slice(end, stop);
    end = stop;
    token.lastIndex = stop;
  }
  const [only] = root.children;
  if (`${root.text}${document.slice(end)}`.trim() !== '') return undefined;
  return open.length === 1 && root.children.length === 1 ? only : undefined;
}

/** The text at a path of element names, or undefined. */
export function textAt(element: XmlElement, ...path: readonly string[]): string | undefined {
  return elementAt(element, ...path)?.text;
}

/** Also undefined if there are two with this name: it is unknown which of them is meant. */
export function elementAt(element: XmlElement, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((at, name) => {
    const found = at?.children.filter((child) => child.name === name) ?? [];
    return found.length === 1 ? found[0] : undefined;
  }, element);
}

/** How many elements of each name an element contains, at any depth. */
export function countNames(element: XmlElement): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const walk = ({ children }: XmlElement): void => {
    for (const child of children) {
      counts.set(child.name, (counts.get(child.name) ?? 0) + 1);
      walk(child);
    }
  };
  walk(element);
  return counts;
}

export function elementsAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  const last = path.at(-1);
  const parent = elementAt(element, ...path.slice(0, -1));
  return parent?.children.filter((child) => child.name === last) ?? [];
}

function finish({ name, attributes, children, text }: Open): XmlElement {
  return { name, attributes, children, text: decode(text).trim() };
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([\w.:-]+)="([^"]*)"/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decode(value)]));
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&amp;', '&'],
]);

function decode(text: string): string {
  return text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities.get(entity) ?? entity);
}
