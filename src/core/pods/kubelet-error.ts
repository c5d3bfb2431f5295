/** Every way in which a query to the kubelet can fail, and what a person can do. */
const table = {
  KubeletSocketMissing:
    'mount the node’s folder /var/lib/kubelet/pod-resources into this container, or name the socket ' +
    '(--pod-resources-socket) if the kubelet has another root folder; it exists while the kubelet runs',
  KubeletUnavailable:
    'the kubelet is starting, down, or rejects calls of this user (root is required); it is asked again later, ' +
    'and its log on the node has details',
  KubeletTimeout: 'the kubelet is overloaded or hangs; it is asked again later, and its log on the node has details',
  KubeletUnsupported:
    'this needs a kubelet of Kubernetes 1.28 or newer, or its feature gate KubeletPodResourcesGetAllocatable',
  KubeletAnswerUnreadable:
    'is this the socket of a kubelet (pod-resources/kubelet.sock)? If so, report this with the kubelet version',
} as const satisfies Record<string, string>;

export type KubeletErrorCode = keyof typeof table;

/** @internal A test compares docs/errors.md with it. */
export const kubeletErrorCodes: readonly KubeletErrorCode[] = Object.keys(table).filter(isKubeletErrorCode);

/** What a kubelet that restarts looks like. */
export const restartingCodes: readonly KubeletErrorCode[] = [
  'KubeletUnavailable',
  'KubeletSocketMissing',
  'KubeletTimeout',
];

export function mayBeRestarting({ code }: { readonly code: string }): boolean {
  return restartingCodes.some((one) => one === code);
}

export interface KubeletErrorDetails {
  /** What was tried: `List on /var/lib/kubelet/pod-resources/kubelet.sock`. */
  readonly tried: string;
  /** What was found instead, in the words of the operating system or the kubelet if there are any. */
  readonly found: string;
  readonly cause?: unknown;
}

/** The kubelet did not answer the query, and what to do about it. */
export class KubeletError extends Error {
  override readonly name = 'KubeletError';
  readonly code: KubeletErrorCode;
  readonly tried: string;
  readonly found: string;
  readonly advice: string;
  /** The message without its code. */
  readonly explanation: string;

  constructor(code: KubeletErrorCode, { tried, found, cause }: KubeletErrorDetails) {
    const advice = table[code];
    const explanation = `tried ${tried}; found ${found}; ${advice}`;
    super(`${code}: ${explanation}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.explanation = explanation;
    this.tried = tried;
    this.found = found;
    this.advice = advice;
  }
}

function isKubeletErrorCode(code: string): code is KubeletErrorCode {
  return code in table;
}
