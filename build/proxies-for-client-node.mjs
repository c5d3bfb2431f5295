// Replaces hpagent, socks and socks-proxy-agent in the bundles: client-node makes an agent of node:https for each proxy, which nobody
// uses. Our connections, and those through proxies too, are undici's (src/kube/kubeconfig.ts).
function proxyAgent() {}
export { proxyAgent as HttpProxyAgent, proxyAgent as HttpsProxyAgent, proxyAgent as SocksProxyAgent };

export const SocksClient = {
  createConnection() {
    throw new Error('socks is not part of the bundle: use PooledKubeConfig (src/kube/kubeconfig.ts)');
  },
};
