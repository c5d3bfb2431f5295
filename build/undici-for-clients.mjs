// Replaces undici in the bundles: only the parts that src/kube uses. The whole package, with fetch, WebSocket, caches
// and mocks, costs 10 MB of memory in each process.
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import api from 'undici/lib/api/index.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import DecoratorHandler from 'undici/lib/handler/decorator-handler.js';

Object.assign(Dispatcher.prototype, api);

export { Agent, DecoratorHandler, ProxyAgent };

/** Like undici's own, for callers that pass their dispatcher. */
export function request(url, { dispatcher, ...options }) {
  return dispatcher.request({ ...options, origin: url.origin, path: `${url.pathname}${url.search}` });
}

/** client-node's generated client would use it; ours never does. */
export function fetch() {
  throw new Error('fetch is not part of the bundle: use src/kube/request.ts');
}
