/** Every way in which a question to the kubelet can end badly, and what a person can do. */
const table = {
  KubeletSocketMissing:
    'mount the folder /var/lib/kubelet/pod-resources of the node into this container, or name the socket ' +
    '(--pod-resources-socket) where the kubelet has another root folder; it appears when the kubelet runs',
  KubeletUnavailable:
    'the kubelet starts, is down, or does not take calls of this user (root is needed); it is asked again later, ' +
    'and the log of the kubelet on the node says more',
  KubeletTimeout: 'the kubelet is overloaded or hangs; it is asked again later, and its log on the node says more',
  KubeletUnsupported:
    'this needs a kubelet of Kubernetes 1.28 or newer, or its feature gate KubeletPodResourcesGetAllocatable',
  KubeletAnswerUnreadable:
    'is the socket that of a kubelet (pod-resources/kubelet.sock)? If so, report this with the version of the kubelet',
} as const satisfies Record<string, string>;

export type KubeletErrorCode = keyof typeof table;

/** @internal docs/errors.md is held against it. */
export const kubeletErrorCodes: readonly KubeletErrorCode[] = Object.keys(table).filter(isKubeletErrorCode);

export interface KubeletErrorDetails {
  /** What was tried: `List on /var/lib/kubelet/pod-resources/kubelet.sock`. */
  readonly tried: string;
  /** What was found instead, in the words of the operating system or the kubelet where they have any. */
  readonly found: string;
  readonly cause?: unknown;
}

/** The kubelet did not say what it was asked, and what to do about it. */
export class KubeletError extends Error {
  override readonly name = 'KubeletError';
  readonly code: KubeletErrorCode;
  readonly tried: string;
  readonly found: string;
  readonly advice: string;

  constructor(code: KubeletErrorCode, { tried, found, cause }: KubeletErrorDetails) {
    const advice = table[code];
    super(`${code}: tried ${tried}; found ${found}; ${advice}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.tried = tried;
    this.found = found;
    this.advice = advice;
  }
}

function isKubeletErrorCode(code: string): code is KubeletErrorCode {
  return code in table;
}
