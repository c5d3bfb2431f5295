/** What is needed of the DOM's, which @types/node lacks. */
declare namespace WebAssembly {
  type Module = object;
  type Instance = object;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: object) => Instance;
}
