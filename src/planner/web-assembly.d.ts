/** What is needed of the DOM's, which @types/node lacks. esbuild's types declare a part of it too. */
declare namespace WebAssembly {
  interface Module {}
  interface Instance {}
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: object) => Instance;
}
