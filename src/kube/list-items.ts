/** A list is larger than the limit for reading one. */
export class ListTooLarge extends Error {
  override readonly name = 'ListTooLarge';
}

const bytes = { quote: 0x22, backslash: 0x5c, open: 0x7b, close: 0x7d, openList: 0x5b, closeList: 0x5d } as const;

/**
 * Reads the JSON of a Kubernetes list item by item and keeps what `project` returns for each: filling a node with pods of 1 MB
 * makes the list longer, but does not use more of our memory.
 *
 * @param mostBytes of the whole list
 * @returns the list as received, with the projected items
 * @throws SyntaxError if it is not JSON or was cut off; ListTooLarge
 */
export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  project: (item: unknown) => unknown,
  mostBytes: number,
): Promise<unknown> {
  const scan = new ListScan(project);
  let read = 0;
  for await (const chunk of chunks) {
    read += chunk.length;
    if (read > mostBytes) throw new ListTooLarge(`the list is longer than ${mostBytes} bytes`);
    scan.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  }
  return scan.end();
}

/** The position in the list. Outside of strings only brackets count: JSON.parse judges what is between two of them. */
class ListScan {
  readonly #project: (item: unknown) => unknown;
  readonly #kept: unknown[] = [];
  /** The list without its items. */
  readonly #rest: Buffer[] = [];
  #item: Buffer[] | undefined;
  /** Where in the chunk the part begins that is not yet consumed. */
  #from = 0;
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #isInItems = false;

  constructor(project: (item: unknown) => unknown) {
    this.#project = project;
  }

  push(chunk: Buffer): void {
    this.#from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#isString) this.#readString(byte);
      else if (byte === bytes.quote) this.#isString = true;
      else if (byte === bytes.open || byte === bytes.openList) this.#open(chunk, at);
      else if (byte === bytes.close || byte === bytes.closeList) this.#close(chunk, at);
    }
    const left = chunk.subarray(this.#from);
    if (this.#item) this.#item.push(left);
    // Between two items there is only their comma.
    else if (!this.#isInItems) this.#rest.push(left);
  }

  #readString(byte: number | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === bytes.backslash) this.#isEscaped = true;
    else if (byte === bytes.quote) this.#isString = false;
  }

  #open(chunk: Buffer, at: number): void {
    const depth = this.#depth;
    this.#depth += 1;
    if (depth === 1 && chunk[at] === bytes.openList) {
      const before = chunk.subarray(this.#from, at + 1);
      this.#isInItems = /"items"\s*:\s*\[$/.test(tailOf([...this.#rest, before]));
      if (!this.#isInItems) return;
      this.#rest.push(before);
      this.#from = at + 1;
    } else if (depth === 2 && this.#isInItems) {
      this.#item = [];
      this.#from = at;
    }
  }

  #close(chunk: Buffer, at: number): void {
    this.#depth -= 1;
    if (this.#depth === 2 && this.#item) {
      const text = Buffer.concat([...this.#item, chunk.subarray(this.#from, at + 1)]).toString('utf8');
      this.#item = undefined;
      this.#from = at + 1;
      this.#kept.push(this.#project(JSON.parse(text)));
    } else if (this.#depth === 1 && this.#isInItems) {
      this.#isInItems = false;
      this.#from = at;
    }
  }

  end(): unknown {
    const list: unknown = JSON.parse(Buffer.concat(this.#rest).toString('utf8'));
    // Without items it says nothing of what is absent.
    return typeof list === 'object' && list !== null && 'items' in list ? { ...list, items: this.#kept } : list;
  }
}

function tailOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).subarray(-64).toString('utf8');
}
