// What the bundles have in place of node-fetch, which the base class of the operator brings by way of gaxios: our subclass replaces
// every method that would call it. The package loads Node's own punycode, of which Node warns at every start (DEP0040).
// oxlint-disable-next-line import/no-default-export -- gaxios takes the default
export default function fetch() {
  throw new Error('node-fetch is not part of the bundle: use src/kube/request.ts');
}
