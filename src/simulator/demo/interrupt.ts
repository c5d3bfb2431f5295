/** Aborts on the first Ctrl-C, to stop everything in order; the second exits at once (children die with us). */
export function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(130);
    process.stdout.write('\nstopping everything …\n');
    controller.abort(new Error('interrupted'));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  return controller.signal;
}

/** Does not wait for what cannot be interrupted, such as a compiler: it dies with us. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(new Error('interrupted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([work, interrupted]);
}
