import { status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';

import { KubeletError } from '../core/pods/kubelet-error.ts';
import type { KubeletErrorCode } from '../core/pods/kubelet-error.ts';
import { cutText } from '../core/text/cut-text.ts';

/** What a failed gRPC call means. */
export function describeCallFault(tried: string, timeoutMs: number, error: ServiceError): KubeletError {
  const { code } = error;
  const found =
    code === status.DEADLINE_EXCEEDED
      ? `no answer within ${timeoutMs} ms`
      : `${status[code] ?? code}: ${trimDetails(error.details)}`;
  return new KubeletError(codeOf(error), { tried, found, cause: error });
}

/** Removes grpc-js's times and notes: the same fault must always have the same text. */
function trimDetails(details: string): string {
  const text = details.replace(/\. Resolution note:.*/s, '').replace(/ \(\d{4}-[\dT:.-]+Z\)/g, '');
  return text === '' ? 'no explanation given' : cutText(text, 300);
}

function codeOf({ code, details }: ServiceError): KubeletErrorCode {
  switch (code) {
    case status.DEADLINE_EXCEEDED:
      return 'KubeletTimeout';
    case status.UNIMPLEMENTED:
      return 'KubeletUnsupported';
    case status.INTERNAL:
    case status.DATA_LOSS:
      return 'KubeletAnswerUnreadable';
    case status.UNKNOWN:
      // Kubelets before 1.28 report this as an error without a code while the feature gate is off (server_v1.go).
      return details.includes('GetAllocatableResources disabled') ? 'KubeletUnsupported' : 'KubeletUnavailable';
    case status.RESOURCE_EXHAUSTED:
      // On our side, the answer exceeds the limit; on the kubelet's, it is its rate limit.
      return details.includes('larger than max') ? 'KubeletAnswerUnreadable' : 'KubeletUnavailable';
    case status.UNAVAILABLE:
      // Whoever listens does not speak HTTP/2.
      return /protocol error|settings|preface/i.test(details) ? 'KubeletAnswerUnreadable' : 'KubeletUnavailable';
    default:
      return 'KubeletUnavailable';
  }
}
