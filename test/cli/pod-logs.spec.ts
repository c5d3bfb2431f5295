import { expect } from 'chai';
import { LenientReader } from '../../src/cli/support/lenient-reader.ts';
import { readLogs } from '../../src/cli/support/pod-logs.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { loadKubeConfig } from '../../src/kube/kubeconfig-loader.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { SpokenApi } from './spoken-api.ts';

/** As a kubelet does: of the last lines the first bytes. */
function answerAsKubelet(log: readonly string[], query: URLSearchParams): string {
  const lines = log.slice(-Number(query.get('tailLines') ?? Infinity)).join('');
  return lines.slice(0, Number(query.get('limitBytes') ?? Infinity));
}

describe('a log in a support bundle', () => {
  const scratch = useScratchFolder();

  it('is cut at its beginning where it is too long: the newest lines are those that help', async () => {
    const log = Array.from({ length: 9000 }, (_, line) => `line ${line} ${'é'.repeat(100)}\n`);
    await using api = await SpokenApi.start((_, { searchParams }) => answerAsKubelet(log, searchParams));
    const client = new KubeClient(loadKubeConfig({ kubeconfig: api.writeKubeconfig(scratch.path('config')) }), 'test');
    const pod = { metadata: { name: 'a', namespace: 'n' }, spec: { containers: [{ name: 'agent' }] } };
    const [found] = await readLogs(new LenientReader(client), [pod], { logLines: 8000, logPods: 1 });
    const lines = found?.log.split('\n') ?? [];
    expect(lines.slice(-2)).to.deep.equal([log.at(-1)?.trimEnd(), '']);
    expect(lines[0]).to.match(/^line \d+ é+$/);
    expect(Buffer.byteLength(found?.log ?? '')).to.be.within(500 * 1024, 512 * 1024);
  });
});
