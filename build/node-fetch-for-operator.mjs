// Replaces node-fetch in the bundles, a dependency of the operator's base class through gaxios: our subclass replaces
// every method that would call it. The package loads Node's own punycode, which triggers a warning at every start (DEP0040).
// oxlint-disable-next-line import/no-default-export -- gaxios takes the default
export default function fetch() {
  throw new Error('node-fetch is not part of the bundle: use src/kube/request.ts');
}
