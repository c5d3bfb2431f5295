// Room kubernetes: objects of Kubernetes in the API's own shape, as far as they are read, and how its scheduler compares them.
// Ask here which devices of NVIDIA's DRA driver a claim has or could have: by ResourceSlices, ResourceClaims and CEL selectors.
import { parseQuantity } from '../text/syntax.ts';

/** Domain of the driver with which NVIDIA hands out GPUs by claim (kubernetes-sigs/dra-driver-nvidia-gpu). */
export const gpuDriver = 'gpu.nvidia.com';

/** The parts of a ResourceSlice (`resource.k8s.io`) that tell what it offers, and whether its driver creates that itself. */
export interface ResourceSliceView {
  readonly metadata?: { readonly name?: string };
  readonly spec: {
    readonly driver: string;
    readonly sharedCounters?: readonly unknown[];
    readonly devices?: readonly SliceDevice[];
  };
}

export interface SliceDevice {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, { readonly string?: string }>>;
  readonly consumesCounters?: readonly unknown[];
}

/** Text of an attribute in the driver's own domain. */
export function attributeOf({ attributes = {} }: SliceDevice, name: string): string | undefined {
  return (attributes[name] ?? attributes[`${gpuDriver}/${name}`])?.string;
}

/** The parts of a ResourceClaim (`resource.k8s.io`) that tell which devices it has, and for whom. */
export interface ResourceClaimView {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly AllocatedDevice[] } };
    readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  };
}

/** A device that a claim was given. */
interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** True if the claim looks on: whoever has the device keeps it. */
  readonly adminAccess?: boolean;
}

/** Whether the scheduler has given a claim its devices. */
export function isAllocated({ status }: ResourceClaimView): boolean {
  return status?.allocation !== undefined;
}

/** The devices of NVIDIA's driver that a claim has: their pools are nodes. */
export function ownDevicesOf({ status }: ResourceClaimView): readonly AllocatedDevice[] {
  return (status?.allocation?.devices?.results ?? []).filter(({ driver }) => driver === gpuDriver);
}

/** `gpu-0-mig-1g5gb-19-0 of node n, gpu-1 of node n` */
export function nameDevices(claim: ResourceClaimView): string {
  const devices = ownDevicesOf(claim).map(({ device, pool }) => `${device} of node ${pool}`);
  return devices.length === 0 ? 'no GPU' : devices.join(', ');
}

/** What a selector of a DeviceClass or a request can ask of a device of NVIDIA's driver. */
export interface SelectableDevice {
  /** Attributes in the driver's own domain. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** Capacities in the driver's own domain, in billionths of a unit. */
  readonly capacity: Readonly<Record<string, bigint | undefined>>;
}

type DeviceTest = (device: SelectableDevice) => boolean;

/** Judges a device. Undefined: CEL's error, of what the device does not have. It meets no selector, whatever is said of it. */
type Judgement = (device: SelectableDevice) => boolean | undefined;

/**
 * Reads what is common in CEL selectors of devices: comparisons of the driver, of text attributes (`==`, `!=`, `in [...]`) and of
 * capacities (`compareTo(quantity(...))`), joined by `&&`, `||`, `!` and parentheses. An attribute that a device does not have meets no
 * comparison. @returns undefined for any other expression
 */
export function readSelector(expression: string): DeviceTest | undefined {
  const tokens = tokenize(expression);
  if (tokens === undefined) return undefined;
  const reader = new SelectorReader(tokens);
  const judge = reader.readAny();
  return judge !== undefined && reader.isAtEnd ? (device) => judge(device) === true : undefined;
}

const token = /\s*(?:('[^'\\]*'|"[^"\\]*")|([A-Za-z_]\w*|\d+)|(&&|\|\||==|!=|>=|<=|[()[\].,<>!]))/y;
const longestExpression = 10_240;

function tokenize(expression: string): readonly string[] | undefined {
  if (expression.length > longestExpression) return undefined;
  const text = expression.trimEnd();
  const found: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return undefined;
    const [, string, word, sign] = match;
    found.push(string === undefined ? (word ?? sign ?? '') : `'${string.slice(1, -1)}'`);
  }
  return found;
}

const orders: Readonly<Record<string, (difference: bigint) => boolean>> = {
  '==': (difference) => difference === 0n,
  '!=': (difference) => difference !== 0n,
  '>=': (difference) => difference >= 0n,
  '<=': (difference) => difference <= 0n,
  '>': (difference) => difference > 0n,
  '<': (difference) => difference < 0n,
};

/** Recursive descent; each method returns undefined if it does not know what it finds. */
class SelectorReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  readAny(): Judgement | undefined {
    return this.#readJoined(
      '||',
      () => this.#readAll(),
      // Whichever side decides: an error on the other one does not count.
      (one, other) => (device) => join(true, one(device), other(device)),
    );
  }

  #readAll(): Judgement | undefined {
    return this.#readJoined(
      '&&',
      () => this.#readOne(),
      (one, other) => (device) => join(false, one(device), other(device)),
    );
  }

  #readJoined(
    sign: string,
    read: () => Judgement | undefined,
    join: (one: Judgement, other: Judgement) => Judgement,
  ): Judgement | undefined {
    let test = read();
    while (test !== undefined && this.#take(sign)) {
      const next = read();
      test = next && join(test, next);
    }
    return test;
  }

  #readOne(): Judgement | undefined {
    if (this.#take('!')) {
      const test = this.#readOne();
      return test && ((device) => negate(test(device)));
    }
    if (this.#take('(')) {
      const test = this.readAny();
      return this.#take(')') ? test : undefined;
    }
    if (!this.#takeAll('device', '.')) return undefined;
    if (this.#take('driver')) return this.#readText(() => gpuDriver);
    const kind = ['attributes', 'capacity'].find((word) => this.#take(word));
    if (kind === undefined || !this.#takeAll('[', `'${gpuDriver}'`, ']', '.')) return undefined;
    const name = this.#takeWord();
    if (name === undefined) return undefined;
    return kind === 'capacity' ? this.#readQuantity(name) : this.#readText(({ attributes }) => attributes[name]);
  }

  #readText(textOf: (device: SelectableDevice) => string | undefined): Judgement | undefined {
    if (this.#take('in')) {
      const texts = this.#readList();
      if (texts === undefined) return undefined;
      return (device) => {
        const found = textOf(device);
        return found === undefined ? undefined : texts.includes(found);
      };
    }
    const isEqual = this.#take('==');
    if (!isEqual && !this.#take('!=')) return undefined;
    const text = this.#takeString();
    if (text === undefined) return undefined;
    return (device) => {
      const found = textOf(device);
      return found === undefined ? undefined : (found === text) === isEqual;
    };
  }

  /** `.compareTo(quantity('4864Mi')) >= 0` */
  #readQuantity(name: string): Judgement | undefined {
    if (!this.#takeAll('.', 'compareTo', '(', 'quantity', '(')) return undefined;
    const limit = parseQuantity(this.#takeString() ?? '');
    if (limit === undefined || !this.#takeAll(')', ')')) return undefined;
    const order = orders[Object.keys(orders).find((sign) => this.#take(sign)) ?? ''];
    if (order === undefined || !this.#take('0')) return undefined;
    return ({ capacity }) => {
      const amount = capacity[name];
      return amount === undefined ? undefined : order(amount - limit);
    };
  }

  #readList(): readonly string[] | undefined {
    if (!this.#take('[')) return undefined;
    const texts: string[] = [];
    do {
      const text = this.#takeString();
      if (text === undefined) return undefined;
      texts.push(text);
    } while (this.#take(','));
    return this.#take(']') ? texts : undefined;
  }

  #takeString(): string | undefined {
    const found = this.#tokens[this.#at];
    if (found?.startsWith("'") !== true) return undefined;
    this.#at += 1;
    return found.slice(1, -1);
  }

  #takeWord(): string | undefined {
    const found = this.#tokens[this.#at];
    if (found === undefined || !/^[A-Za-z_]\w*$/.test(found)) return undefined;
    this.#at += 1;
    return found;
  }

  #takeAll(...tokens: readonly string[]): boolean {
    return tokens.every((one) => this.#take(one));
  }

  #take(sign: string): boolean {
    if (this.#tokens[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }
}

/** `||` if true decides, `&&` if false does. */
function join(decisive: boolean, one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (one === decisive || other === decisive) return decisive;
  return one === undefined || other === undefined ? undefined : !decisive;
}

function negate(judged: boolean | undefined): boolean | undefined {
  return judged === undefined ? undefined : !judged;
}
