import { type Fields, isFields } from '../core/text/fields.ts';
import { ApiError } from './api-error.ts';

/** What was asked for. */
export type AnswerKind = 'object' | 'list';

/**
 * What stands before an API server, such as a proxy or a portal that wants a login, may answer everything with 200: then nothing is
 * known of what was asked for, above all not that it is absent.
 * @throws ApiError
 */
export function requireAnswer(request: string, answer: unknown, expected: AnswerKind): void {
  if (isFields(answer) && isFields(answer['metadata']) && isExpected(answer, answer['metadata'], expected)) return;
  const text = `the answer is not the ${expected} that was asked for; does something else than the API server answer at its address?`;
  throw new ApiError({ request, code: 0, reason: 'InvalidAnswer', text });
}

/** A Status has metadata, too, but neither a name nor items. An empty list of metadata has null. */
function isExpected({ items }: Fields, { name }: Fields, expected: AnswerKind): boolean {
  return expected === 'object' ? typeof name === 'string' : items === null || Array.isArray(items);
}
