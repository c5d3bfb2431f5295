/**
 * Hides the kubeconfig that client-node's `loadFromDefault` would find, until the returned function is called. The
 * Operator's constructor always loads it, and throws on a `$KUBECONFIG` that names a missing file or on a `~/.kube/config`
 * without a current context, even if the user gave another file. If it finds nothing, it falls back to a cluster that
 * nobody ever calls. Do not await anything between the two calls.
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
