import { ApiError } from '../../src/kube/api-error.ts';

/** The ApiError that a promise is rejected with. @throws Error when it is not. */
export async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await rejectionOf(promise);
  if (error instanceof ApiError) return error;
  throw new Error('the promise was rejected with something else', { cause: error });
}

/** What a promise is rejected with. @throws Error when it is not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  let result: unknown;
  try {
    result = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`the promise was not rejected, its value is ${JSON.stringify(result)}`);
}
