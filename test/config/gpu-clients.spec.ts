import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parse, stringify } from 'yaml';
import { checkClients } from '../../src/core/node/plugin-pods.ts';
import { type RenderedObject, readManifests, renderFolder } from '../api/installation.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';
import { findHelm, renderChart } from '../support/helm.ts';
import { argsOf, templateOf } from './workload.ts';

const fileArgument = '--gpu-clients=/etc/gpu-partition/clients.yaml';
const ours = { name: 'exporter', deployLabel: 'nvidia.com/our.exporter', podLabels: { app: 'x' }, goes: ['InUse'] };

async function renderClients(clients: readonly object[]): Promise<readonly RenderedObject[]> {
  const { code, stdout, stderr } = await renderChart(
    '--no-hooks',
    '--set-json',
    `gpuClients=${JSON.stringify(clients)}`,
  );
  if (code !== 0) throw new Error(stderr);
  return readManifests(stdout);
}

/** config/default with config/gpu-clients, as in a kustomization of the user's. */
async function renderComponent(): Promise<readonly RenderedObject[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gpu-clients-'));
  try {
    const [resources, components] = ['config/default', 'config/gpu-clients'].map((path) => [relative(folder, path)]);
    writeFileSync(join(folder, 'kustomization.yaml'), stringify({ resources, components }));
    return await renderFolder(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fileIn(objects: readonly RenderedObject[]): { readonly map: string; readonly text: string } {
  const found = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.includes('gpu-clients'));
  const { data } = found as unknown as { readonly data: Readonly<Record<string, string>> };
  return { map: found?.metadata.name ?? '', text: data['clients.yaml'] ?? '' };
}

describe('GPU clients of one’s own', function () {
  this.timeout(clusterTimeoutMs);

  before(findHelm);

  it('reach the controller as a file that it reads, from the chart’s values and from config/gpu-clients alike', async () => {
    const text = readFileSync('config/gpu-clients/clients.yaml', 'utf8');
    const { clients } = parse(text) as { readonly clients: readonly object[] };
    for (const objects of [await renderClients(clients), await renderComponent()]) {
      expect(argsOf(objects, 'Deployment')).to.include(fileArgument);
      const file = fileIn(objects);
      expect(parse(file.text)).to.deep.equal({ clients });
      expect(checkClients(parse(file.text))).to.deep.include(clients[0]);
      const { volumes, containers } = templateOf(objects, 'Deployment').spec;
      expect(volumes).to.deep.include({ name: 'gpu-clients', configMap: { name: file.map } });
      const mount = { name: 'gpu-clients', mountPath: '/etc/gpu-partition', readOnly: true };
      expect(containers[0]).to.have.deep.property('volumeMounts').that.deep.includes(mount);
    }
  });

  it('are allowed their deploy labels by the chart', async () => {
    const text = JSON.stringify(await renderClients([ours, { ...ours, name: 'other', deployLabel: undefined }]));
    expect(text.split("k == 'nvidia.com/our.exporter' || k.matches(")).to.have.length(2);
  });

  it('restart the controller when the values change, and leave no trace where there are none', async () => {
    const [one, other, none] = await Promise.all([[ours], [{ ...ours, goes: [] }], []].map(renderClients));
    const annotationsOf = (objects: readonly RenderedObject[] = []): unknown =>
      templateOf(objects, 'Deployment').metadata.annotations;
    expect(annotationsOf(one)).to.not.deep.equal(annotationsOf(other));
    expect(annotationsOf(none)).to.equal(undefined);
    expect(argsOf(none ?? [], 'Deployment')).to.not.include(fileArgument);
  });

  const wrong: readonly (readonly [client: object, words: RegExp])[] = [
    [{ ...ours, goes: ['Always'] }, /goes/],
    [{ ...ours, goes: undefined }, /goes/],
    [{ ...ours, deployLabel: 'example.com/our.exporter' }, /deployLabel/],
    [{ ...ours, podLabel: { app: 'x' } }, /podLabel/],
    [{ name: 'nobody', goes: [] }, /podLabels/],
  ];
  for (const [client, words] of wrong) {
    it(`are refused by the chart’s schema where the program would refuse them: ${JSON.stringify(client)}`, async () => {
      expect(checkClients({ clients: [JSON.parse(JSON.stringify(client))] })).to.be.a('string');
      const { code, stderr } = await renderChart('--set-json', `gpuClients=${JSON.stringify([client])}`);
      expect(code).to.not.equal(0);
      expect(stderr).to.match(words);
    });
  }
});
