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
