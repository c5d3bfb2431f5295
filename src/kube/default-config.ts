/**
 * Hides the kubeconfig that client-node's `loadFromDefault` would find, until the function returned is called. The
 * Operator's constructor loads it whether or not we want it, and throws on a `$KUBECONFIG` that names a missing file or
 * on a `~/.kube/config` without a current context, although the user gave another file. With nothing to be found it
 * settles for a cluster that nobody ever calls. Nothing may wait between the two calls.
 */
export function hideDefaultConfig(): () => void {
  const { KUBECONFIG, HOME } = process.env;
  delete process.env['KUBECONFIG'];
  process.env['HOME'] = '/nonexistent';
  return () => {
    restore('KUBECONFIG', KUBECONFIG);
    restore('HOME', HOME);
  };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
