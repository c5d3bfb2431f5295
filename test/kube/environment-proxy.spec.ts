import { expect } from 'chai';
import { findEnvironmentProxy } from '../../src/kube/environment-proxy.ts';

describe('findEnvironmentProxy', () => {
  const proxy = 'http://proxy:3128';
  const find = (server: string, noProxy?: string): string | undefined =>
    findEnvironmentProxy(server, { HTTPS_PROXY: proxy, ...(noProxy !== undefined && { NO_PROXY: noProxy }) });

  it('has a variable for each protocol, in capitals or not, and takes a bare host for one that speaks HTTP', () => {
    const of = (server: string, env: Readonly<Record<string, string>>) => findEnvironmentProxy(server, env);
    expect(of('https://a', { https_proxy: proxy })).to.equal(proxy);
    expect(of('https://a', { HTTPS_PROXY: 'proxy:3128' })).to.equal(proxy);
    expect(of('https://a', { HTTPS_PROXY: '', https_proxy: proxy })).to.equal(proxy);
    expect(of('https://a', { HTTP_PROXY: proxy })).to.equal(undefined);
    expect(of('http://a', { HTTP_PROXY: proxy, HTTPS_PROXY: 'other' })).to.equal(proxy);
    expect(of('https://a', {})).to.equal(undefined);
  });

  it('needs none for this machine', () => {
    for (const host of ['localhost:6443', '127.0.0.1:6443', '127.1.2.3', '[::1]:6443'])
      expect(find(`https://${host}`), host).to.equal(undefined);
  });

  it('leaves out what NO_PROXY names: addresses, ranges, domains, ports', () => {
    const rows: readonly (readonly [noProxy: string, server: string, isLeftOut: boolean])[] = [
      ['*', 'https://a', true],
      ['10.0.0.0/8', 'https://10.96.0.1:443', true],
      ['10.0.0.0/8', 'https://11.0.0.1', false],
      ['10.0.0.0/33,10.0.0.0/x,x/8', 'https://10.0.0.1', false],
      ['fd00::/8', 'https://[fd00::1]:6443', true],
      ['fd00::/8', 'https://10.0.0.1', false],
      ['192.168.0.1', 'https://192.168.0.1:6443', true],
      ['192.168.0.1:443', 'https://192.168.0.1:6443', false],
      ['192.168.0.1:6443', 'https://192.168.0.1:6443', true],
      ['api:443', 'https://api', true],
      ['fd00::1', 'https://[fd00::1]:6443', true],
      ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
      [' b.c , example.com ', 'https://api.example.com', true],
      ['Example.COM', 'https://example.com', true],
      ['.example.com', 'https://example.com', false],
      ['*.example.com', 'https://api.example.com', true],
      ['example.com', 'https://badexample.com', false],
      [',', 'https://a', false],
    ];
    for (const [noProxy, server, isLeftOut] of rows)
      expect(find(server, noProxy), `${noProxy} ${server}`).to.equal(isLeftOut ? undefined : proxy);
  });
});
