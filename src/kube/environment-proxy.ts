import { BlockList, isIP } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as kubectl and every Go program read them
 * (golang.org/x/net/http/httpproxy): `NO_PROXY` also takes ranges such as `10.0.0.0/8`, and this machine needs no proxy.
 */
export function findEnvironmentProxy(server: string, env: Environment): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(env, name);
  if (proxy === '') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '');
  const isDirect =
    host === 'localhost' ||
    isLoopback(host) ||
    read(env, 'NO_PROXY')
      .split(',')
      .some((entry) => matches(entry.trim().toLowerCase(), host, port || (protocol === 'https:' ? '443' : '80')));
  if (isDirect) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function read(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `*`, a range, an address, or a domain with its subdomains (`.a.b` and `*.a.b`: the subdomains alone); each but a range with or without a port. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  if (entry.includes('/')) return isInRange(entry, host);
  const { groups } = /^\[?(?<name>.*?)\]?(?::(?<port>\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? {};
  const name = (groups?.['name'] ?? '').replace(/^\*(?=\.)/, '');
  if (groups?.['port'] !== undefined && groups['port'] !== port) return false;
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function isInRange(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(host);
  if (family === 0 || family !== isIP(network) || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const ranges = new BlockList();
  ranges.addSubnet(network, Number(bits), type);
  return ranges.check(host, type);
}
