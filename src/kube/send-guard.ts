import { DecoratorHandler, type Dispatcher } from 'undici';
import { messageOf } from '../core/text/message-of.ts';

/** A request was held back at the last moment; `cause` says why. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';

  constructor(request: string, cause: unknown) {
    super(`${request}: not sent: ${messageOf(cause)}`, { cause });
  }
}

/**
 * A dispatcher that checks requests when they are written to their connection: while one waits for a connection, the process
 * may be stalled.
 */
export function guardSending(dispatcher: Dispatcher, request: string, check: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const guarded: Dispatcher.DispatchHandler = new DecoratorHandler(handler);
    guarded.onRequestStart = (controller, context) => {
      handler.onRequestStart?.(controller, context);
      try {
        check();
      } catch (cause) {
        controller.abort(new NotSentError(request, cause));
      }
    };
    return dispatch(options, guarded);
  });
}
