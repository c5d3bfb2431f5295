import { request } from 'undici';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';

/** What of etcd's JSON API tests use: keys and values are base64, numbers are text. */
interface EtcdAnswer {
  readonly header: { readonly revision: string };
  readonly kvs?: readonly { readonly key: string; readonly value?: string; readonly mod_revision: string }[];
}

/** Calls etcd itself, past the API server. @throws Error with etcd's answer */
export async function askEtcd(
  { etcdUrl }: Pick<ControlPlane, 'etcdUrl'>,
  what: 'range' | 'txn' | 'put' | 'deleterange',
  body: object,
): Promise<EtcdAnswer> {
  const answer = await request(`${etcdUrl}/v3/kv/${what}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`etcd answered ${answer.statusCode}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as EtcdAnswer;
}
