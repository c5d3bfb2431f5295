import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
// @ts-expect-error -- the build scripts are plain JavaScript
import { toolPath } from '../../build/go-tools.mjs';
import { findControlPlane } from '../../src/simulator/control-plane/build.ts';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { type RenderedObject, readManifests, renderFolder } from '../api/installation.ts';
import { type ControlPlane, useSharedCluster } from '../support/cluster.ts';
import { renderChart, runHelm } from '../support/helm.ts';
import { writePool } from './parts.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[]; readonly 'timeout-minutes'?: number }>>;
}

const folder = '.github/workflows';

for (const file of readdirSync(folder)) {
  describe(`the workflow ${file}`, () => {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    const { permissions, jobs } = parse(text) as Workflow;
    const steps = Object.values(jobs).flatMap((job) => job.steps);

    it('runs no action but of one commit, and says which release that is', () => {
      const lines = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line));
      expect(lines).to.have.lengthOf(steps.filter(({ uses }) => uses !== undefined).length);
      for (const line of lines) expect(line).to.match(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it('gives rights to its jobs alone, and leaves no token in the checkout', () => {
      expect(permissions).to.deep.equal({});
      const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
      for (const checkout of checkouts) expect(checkout.with).to.include({ 'persist-credentials': false });
    });

    it('puts nothing that outsiders write into a shell', () => {
      for (const { run = '' } of steps) expect(run).to.not.include('${{');
    });

    it('ends by itself', () => {
      for (const job of Object.values(jobs)) expect(job['timeout-minutes']).to.be.a('number');
    });
  });
}

describe('the release @all', function () {
  this.timeout(180_000);
  let folder: string;
  const digest = existsSync('dist/image.digest') ? readFileSync('dist/image.digest', 'utf8').trim() : '';
  const image = `example.com/gpu/operator@${digest}`;
  const places = { RELEASE_URL: 'https://example.com/v1', SOURCE_URL: 'https://example.com/source' };
  const env = { ...process.env, IMAGE: 'example.com/gpu/operator', ...places };
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

  const release = async (name: string): Promise<string> => {
    const run = await runProgram(process.execPath, ['build/release.mjs', join(folder, name)], { env });
    expect(run).to.deep.include({ code: 0, stderr: '' });
    return read(`${name}/SHA256SUMS`);
  };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

  before(async function () {
    if (!existsSync('dist/image.digest') || !existsSync('dist/.executable')) {
      console.log('    skipped: make executable image builds what it is made of');
      return this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'release-'));
    await release('one');
    return undefined;
  });

  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  it('has the same bytes when it is written again', async () => {
    const lines = read('one/SHA256SUMS').trim().split('\n');
    expect(lines).to.have.lengthOf(readdirSync(join(folder, 'one')).length - 1);
    expect(await release('two')).to.equal(read('one/SHA256SUMS'));
  });

  it('has the files that install.md lists, with their sizes', () => {
    const page = readFileSync('docs/install.md', 'utf8').replaceAll('0.1.0', version);
    const rows = [...page.matchAll(/^\| `([\w.*-]+)` \| ([\d.]+) (kB|MB) \|/gm)].map(([, name = '', size, unit]) => ({
      name: new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '.*')}$`),
      bytes: Number(size) * (unit === 'MB' ? 1e6 : 1e3),
    }));
    for (const file of readdirSync(join(folder, 'one'))) {
      const [row, ...others] = rows.filter(({ name }) => name.test(file));
      expect([row !== undefined, others], file).to.deep.equal([true, []]);
      const { size } = statSync(join(folder, 'one', file));
      expect(size, file).to.be.within(0.8 * (row?.bytes ?? 0) - 500, 1.2 * (row?.bytes ?? 0) + 500);
    }
    expect(rows.length).to.be.above(10);
  });

  it('has manifests of every overlay, with the image by its digest', () => {
    for (const name of ['default', ...readdirSync('config/overlays')]) {
      const text = read(`one/install-${name}.yaml`);
      const images = [...text.matchAll(/ image: (\S+)/g)].map(([, image]) => image);
      expect(images, name).to.deep.equal(images.map(() => image));
      expect(images).to.have.lengthOf(2);
    }
    expect(read('one/crds.yaml')).to.include('gpupartitionpolicies.gpupartition.dev');
  });

  it('has a chart that Helm renders with that image, unless values name another', async () => {
    const imagesWith = async (...args: readonly string[]): Promise<readonly string[]> => {
      const archive = join(folder, `one/gpu-partition-${version}.tgz`);
      const { code, stdout, stderr } = await runHelm('template', 'x', archive, ...args);
      expect(code, stderr).to.equal(0);
      return [...new Set([...stdout.matchAll(/ image: (\S+)/g)].map(([, found = '']) => found))];
    };
    expect(await imagesWith()).to.deep.equal([image]);
    expect(await imagesWith('--set', 'global.imageRegistry=mirror:5000')).to.deep.equal([
      image.replace('example.com', 'mirror:5000'),
    ]);
    expect(await imagesWith('--set', 'image.tag=own')).to.deep.equal(['example.com/gpu/operator:own']);
    const other = `sha256:${'b'.repeat(64)}`;
    expect(await imagesWith('--set', `image.tag=own,image.digest=${other}`)).to.deep.equal([
      `example.com/gpu/operator@${other}`,
    ]);
  });

  it('has a package of npm of at most 8 MB, which npx runs from its file in an empty folder, pools for the solver too', async () => {
    const file = join(folder, `one/gpu-partition_${version}_npm.tgz`);
    expect(statSync(file).size).to.be.below(8_000_000);
    const cwd = join(folder, 'empty');
    await mkdir(cwd);
    const npx = async (...args: readonly string[]) =>
      runProgram('npx', ['--yes', '--offline', `file:${file}`, ...args], {
        cwd,
        env: { ...process.env, npm_config_cache: join(folder, 'npm') },
      });
    expect(await npx('--version')).to.deep.include({ code: 0, stdout: `${version}\n` });
    const planned = await npx(...(await writePool(cwd)));
    expect(planned.stderr).to.equal('');
    expect(JSON.parse(planned.stdout)).to.include({ optimal: true });
  });

  it('has archives of the command as its manifest for krew says', async () => {
    const { spec } = parse(read('one/krew.yaml')) as {
      readonly spec: { readonly platforms: readonly { readonly uri: string; readonly sha256: string }[] };
    };
    expect(spec.platforms).to.have.lengthOf(2);
    for (const { uri, sha256 } of spec.platforms) {
      expect(read('one/SHA256SUMS')).to.include(`${sha256}  ${uri.replace('https://example.com/v1/', '')}\n`);
    }
    const archive = join(folder, `one/gpu-partition_${version}_linux_amd64.tar.gz`);
    const { stdout } = await runProgram('tar', ['-tzf', archive]);
    expect(stdout.trim().split('\n')).to.include('gpu-partition').and.include('LICENSE');
  });

  it('says of this version what CHANGELOG.md says', () => {
    expect(read('one/NOTES.md')).to.include('### API').and.not.match(/^## /m);
  });

  it('has one archive of the image, under the name by which its manifests ask for it', async () => {
    const archive = join(folder, `one/gpu-partition-operator_${version}.oci.tar`);
    const { stdout } = await runProgram('tar', ['-xOf', archive, 'index.json']);
    const { manifests } = JSON.parse(stdout) as {
      readonly manifests: readonly {
        readonly digest: string;
        readonly annotations: Readonly<Record<string, string>>;
      }[];
    };
    expect(manifests.map((one) => [one.digest, one.annotations['io.containerd.image.name']])).to.deep.equal([
      [digest, image],
    ]);
  });

  it('has a chart that Helm’s lint takes, with what Artifact Hub shows of it', async () => {
    const archive = join(folder, `one/gpu-partition-${version}.tgz`);
    const { code, stdout, stderr } = await runHelm('lint', '--strict', archive);
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout).to.not.match(/\[(INFO|WARNING|ERROR)\]/);
    const { annotations, ...chart } = parse((await runHelm('show', 'chart', archive)).stdout) as {
      readonly annotations: Readonly<Record<string, string>>;
    };
    expect(chart).to.deep.include({ icon: `${places.RELEASE_URL}/icon.svg`, home: places.SOURCE_URL });
    const list = (name: string) => parse(annotations[`artifacthub.io/${name}`] ?? '') as readonly object[];
    expect(list('images')[0]).to.include({ image });
    expect(list('crds').map((one) => (one as { kind: string }).kind)).to.deep.equal([
      'GpuNodePartition',
      'GpuPartitionPolicy',
    ]);
    expect(list('crdsExamples')).to.have.length.above(5);
    expect(list('changes')).to.have.length.above(20);
    expect(list('links')[0]).to.deep.equal({ name: 'Source', url: places.SOURCE_URL });
    expect((await runHelm('show', 'readme', archive)).stdout).to.include('| `nameOverride` |');
  });

  it('has in the bundle for OLM, and in what is applied beside it, all that config/overlays/openshift has', async () => {
    const bundle = await unpackBundle(folder, version);
    const inBundle = readdirSync(join(bundle, 'manifests')).flatMap((name) =>
      readManifests(readFileSync(join(bundle, 'manifests', name), 'utf8')),
    );
    const nameOf = ({ kind, metadata }: RenderedObject): string => `${kind}/${metadata.name}`;
    const [described] = inBundle.filter(({ kind }) => kind === 'ClusterServiceVersion');
    const { install } = (described ?? { spec: {} }).spec as unknown as {
      readonly install: { readonly spec: OlmInstall };
    };
    const { deployments, clusterPermissions, permissions } = install.spec;
    const all = await renderFolder('config/overlays/openshift');
    const beside = readManifests(read('one/olm-agents.yaml'));
    const rights = (kind: string) =>
      all.find((one) => nameOf(one) === `${kind}/gpu-partition-controller`) as unknown as OlmInstall['permissions'][0];
    // What OLM makes of the version: the Deployment, its account, and a role and binding for each entry.
    expect(deployments[0]?.spec.template.spec.containers[0]?.image).to.equal(image);
    expect(clusterPermissions.map(({ rules }) => rules)).to.deep.equal([rights('ClusterRole').rules]);
    expect(JSON.stringify(permissions)).to.include('leases').and.not.include('"pods"');
    const made = ['Deployment', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(
      (kind) => `${kind}/gpu-partition-controller`,
    );
    const have = [...inBundle.filter((one) => one !== described).map(nameOf), ...beside.map(nameOf), ...made];
    expect([...new Set(have)]).to.have.members([...new Set(all.map(nameOf))]);
    // In the other namespace, which is not OLM's.
    expect(beside.map(nameOf)).to.include('Role/gpu-partition-controller').and.include('DaemonSet/gpu-partition-agent');
  });

  describe('as others judge it', function () {
    const cluster = useSharedCluster();
    /** Runs a program of build/go-tools.mjs; skips the test where it has not been built. */
    const judge = async (context: Mocha.Context, name: string, args: readonly string[], path = process.env['PATH']) => {
      const program = toolPath(name) as string;
      if (!existsSync(program)) {
        console.log(`      skipped: there is no ${name} here; make judges builds it`);
        return context.skip();
      }
      return runProgram(program, args, { env: { ...process.env, PATH: path } });
    };

    it('has a manifest that krew’s validator takes, and krew installs the command of both platforms from it', async function () {
      const served = join(folder, 'one');
      await using server = await serveFolder(served);
      const bin = join(folder, 'bin');
      await mkdir(bin);
      await symlink(toolPath('krew') as string, join(bin, 'kubectl-krew'));
      await symlink((await findControlPlane()).kubectl, join(bin, 'kubectl'));
      const manifest = join(folder, 'gpu-partition.yaml');
      await writeFile(manifest, read('one/krew.yaml').replaceAll(places.RELEASE_URL, server.url));
      const path = `${bin}:${process.env['PATH']}`;
      const good = await judge(this, 'validate-krew-manifest', ['-manifest', manifest], path);
      expect(good.code, good.stderr).to.equal(0);
      expect(good.stderr).to.include('all 2 spec.platforms installed fine');
      await writeFile(manifest, read('one/krew.yaml').replace(/sha256: ./, 'sha256: x'));
      expect((await judge(this, 'validate-krew-manifest', ['-skip-install', '-manifest', manifest])).code).to.not.equal(
        0,
      );
    });

    it('has a bundle that operator-verify takes', async function () {
      const bundle = await unpackBundle(folder, version);
      const args = ['manifests', '--operatorhub_validate', '--object_validate', join(bundle, 'manifests')];
      const { code, stderr } = await judge(this, 'operator-verify', args);
      expect(code, stderr).to.equal(0);
      const known = [
        // People write no GpuNodePartition.
        'Kind=GpuNodePartition: provided API should have an example annotation',
        // It looks at the names of resources in rules, whatever their group and version.
        'this bundle is using APIs which were deprecated and removed in v1.25',
        'validator is deprecated',
      ];
      const others = stderr.split('\n').filter((line) => line !== '' && !known.some((one) => line.includes(one)));
      expect(others).to.deep.equal([]);
    });

    it('has manifests and a chart that kubeconform takes, each field of them, by the schemas of the API server', async function () {
      const location = await writeSchemas(cluster(), join(folder, 'schemas'));
      const rendered = join(folder, 'rendered');
      await mkdir(rendered);
      const values = join(rendered, 'chart.yaml');
      const set = ['openshift', 'criticalPodsQuota.enabled', 'devicePluginConfig.enabled', 'podMonitor.enabled'];
      const chart = await renderChart('--set', `${set.join('=true,')}=true,fullnameOverride=own`);
      await writeFile(values, chart.stdout);
      const yaml = readdirSync(join(folder, 'one')).filter((name) => /^(install-|crds|olm).*\.yaml$/.test(name));
      const samples = readdirSync('samples').filter((name) => /^(?!kustomization).*\.yaml$/.test(name));
      const files = [
        values,
        ...yaml.map((name) => join(folder, 'one', name)),
        ...samples.map((name) => `samples/${name}`),
      ];
      // Prometheus Operator's own, which the API server does not know.
      const args = ['-strict', '-summary', '-output=json', '-skip=PodMonitor', '-schema-location', location];
      const conform = async (...paths: readonly string[]): Promise<Judgement> =>
        JSON.parse((await judge(this, 'kubeconform', [...args, ...paths])).stdout) as Judgement;
      const { resources = [], summary } = await conform(...files);
      expect(resources).to.deep.equal([]);
      expect(summary).to.include({ invalid: 0, errors: 0, skipped: 1 });
      expect(summary.valid).to.be.above(250);
      const wrong = join(rendered, 'wrong.yaml');
      await writeFile(wrong, read('one/install-default.yaml').replace('hostPID: true', 'hostPid: true'));
      expect((await conform(wrong)).summary).to.include({ invalid: 1, errors: 0 });
    });
  });
});

interface OlmInstall {
  readonly deployments: readonly {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
    };
  }[];
  readonly clusterPermissions: readonly { readonly rules: readonly object[] }[];
  readonly permissions: readonly { readonly rules: readonly object[] }[];
}

interface Judgement {
  readonly resources?: readonly object[];
  readonly summary: Readonly<Record<'valid' | 'invalid' | 'errors' | 'skipped', number>>;
}

/** @returns the folder of the bundle for OLM */
async function unpackBundle(folder: string, version: string): Promise<string> {
  const bundle = join(folder, 'olm');
  await mkdir(bundle, { recursive: true });
  const archive = join(folder, `one/gpu-partition-operator_${version}_olm-bundle.tar.gz`);
  expect(await runProgram('tar', ['-xzf', archive, '-C', bundle])).to.include({ code: 0 });
  return bundle;
}

/** The files of a folder, as a release's web server has them. */
async function serveFolder(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const file = join(folder, request.url ?? '');
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

/** A definition of the API server's OpenAPI as a JSON schema that takes no unknown field. */
function closeSchema(node: Schema): Schema {
  const { format, properties, items, additionalProperties, ...rest } = node;
  if (format === 'int-or-string' || node['x-kubernetes-int-or-string'] === true) return { type: ['integer', 'string'] };
  const inner = Object.entries(properties ?? {}).map(([name, child]) => [name, closeSchema(child)]);
  const isOpen = node['x-kubernetes-preserve-unknown-fields'] === true || properties === undefined;
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(inner) as Readonly<Record<string, Schema>> }),
    ...(items && { items: closeSchema(items) }),
    ...(additionalProperties && { additionalProperties: closeSchema(additionalProperties) }),
    ...(!additionalProperties && !isOpen && { additionalProperties: false }),
  } as Schema;
}

/** Writes a schema for each kind that the API server serves, where kubeconform looks for it. @returns that place */
async function writeSchemas({ client }: ControlPlane, folder: string): Promise<string> {
  await mkdir(folder);
  const { definitions } = (await client.demand({ path: '/openapi/v2' })) as {
    readonly definitions: Readonly<Record<string, Schema>>;
  };
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = (definition['x-kubernetes-group-version-kind'] ?? []) as readonly Readonly<Record<string, string>>[];
    const [{ group, version, kind } = {}, ...others] = kinds;
    if (kind === undefined || others.length > 0) continue;
    const needed = new Set([name]);
    for (const one of needed) {
      for (const [, next = ''] of JSON.stringify(definitions[one]).matchAll(/"#\/definitions\/([^"]+)"/g))
        needed.add(next);
    }
    const parts = Object.fromEntries([...needed].map((one) => [one, closeSchema(definitions[one] ?? {})]));
    const schema = { $ref: `#/definitions/${name}`, definitions: parts };
    await writeFile(join(folder, `${group || version}_${version}_${kind.toLowerCase()}.json`), JSON.stringify(schema));
  }
  return `${folder}/{{ .Group }}_{{ .ResourceAPIVersion }}_{{ .ResourceKind }}.json`;
}
