// Replaces @kubernetes/client-node in the controller's bundle, only for @dot-i/k8s-operator. The base class
// requires the whole package, 2,700 generated models of which our ResilientOperator uses none: it refuses every method
// that would call them (src/kube/operator.ts). Without this the controller takes 50 MB more.
export { KubeConfig } from '@kubernetes/client-node';

/** A constructor whose objects throw if anybody uses them after all. */
function leftOut(name) {
  return function LeftOut() {
    return new Proxy(this, {
      get(_target, key) {
        if (typeof key === 'symbol') return undefined;
        throw new Error(`${name}.${key} is not part of the bundle: use KubeClient (src/kube/client.ts)`);
      },
    });
  };
}

export const CoreV1Api = leftOut('CoreV1Api');
export const ApiextensionsV1Api = leftOut('ApiextensionsV1Api');
export const Watch = leftOut('Watch');
export function loadYaml() {
  throw new Error('loadYaml is not part of the bundle: CRDs are installed by users');
}
