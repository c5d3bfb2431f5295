import { pods } from '../../api/resources.ts';
import { definedOnly } from '../../core/text/defined-fields.ts';
import { type KubeObject, objectPath } from '../../kube/resource.ts';
import type { BundledPod } from './cluster-bundle.ts';
import type { LenientReader } from './lenient-reader.ts';

export interface LogLimits {
  /** Lines from the end of each container's log. */
  readonly logLines: number;
  /** Maximum number of pods whose logs are read. */
  readonly logPods: number;
}

/** An item of a bundle; no cluster has such a kind. */
interface PodLog extends KubeObject {
  readonly container: string;
  readonly isPrevious: boolean;
  readonly log: string;
}

/** Per log; our longest line is far shorter. */
const mostBytes = 512 * 1024;
/** A ServiceAccount token: none is ever logged; if one is, it is redacted. */
const token = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;

/** The end of a log: the kubelet's own `limitBytes` would keep the beginning of what it sends. */
async function readEnd(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    kept.push(chunk);
    length += chunk.length;
    for (let [first] = kept; first && length - first.length > mostBytes; [first] = kept) {
      kept.shift();
      length -= first.length;
    }
  }
  const end = Buffer.concat(kept).subarray(-mostBytes);
  return end.subarray(length > mostBytes ? end.indexOf('\n') + 1 : 0).toString('utf8');
}

/** The last lines of each container, and of its predecessor if it was restarted. */
export async function readLogs(
  reader: LenientReader,
  from: readonly BundledPod[],
  { logLines, logPods }: LogLimits,
): Promise<readonly PodLog[]> {
  const logs: PodLog[] = [];
  for (const pod of logLines === 0 ? [] : from.slice(0, logPods)) {
    for (const { name: container = '' } of pod.spec?.containers ?? []) {
      const restarts = pod.status?.containerStatuses?.find(({ name }) => name === container)?.restartCount ?? 0;
      for (const previous of restarts > 0 ? [true, false] : [false]) {
        const log = await readLog(reader, pod, { container, previous, tailLines: logLines });
        if (log !== undefined) logs.push(log);
      }
    }
  }
  return logs;
}

async function readLog(
  reader: LenientReader,
  { metadata: { name, namespace } }: BundledPod,
  query: { readonly container: string; readonly previous: boolean; readonly tailLines: number },
): Promise<PodLog | undefined> {
  const { container, previous } = query;
  const place = definedOnly({ name, namespace });
  const what = `log of ${namespace}/${name}, container ${container}${previous ? ' before its restart' : ''}`;
  const log = await reader.ask(what, () =>
    reader.client.request({
      method: 'GET',
      path: objectPath({ resource: pods, ...place, subresource: 'log' }),
      query: { ...query, timestamps: true },
      accept: '*/*',
      attempts: 1,
      timeoutMs: 30_000,
      readBody: readEnd,
    }),
  );
  if (typeof log !== 'string') return undefined;
  return {
    apiVersion: 'v1',
    kind: 'PodLog',
    metadata: place,
    container,
    isPrevious: previous,
    log: log.replaceAll(token, 'redacted'),
  };
}
