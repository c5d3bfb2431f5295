import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { runHelm } from '../support/helm.ts';

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
  const env = { ...process.env, IMAGE: 'example.com/gpu/operator', RELEASE_URL: 'https://example.com/v1' };
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

  it('has manifests of every overlay, with the image by its digest', () => {
    for (const name of ['default', ...readdirSync('config/overlays')]) {
      const text = read(`one/install-${name}.yaml`);
      const images = [...text.matchAll(/ image: (\S+)/g)].map(([, image]) => image);
      expect(images, name).to.deep.equal(images.map(() => `example.com/gpu/operator@${digest}`));
      expect(images).to.have.lengthOf(2);
    }
    expect(read('one/crds.yaml')).to.include('gpupartitionpolicies.gpupartition.dev');
  });

  it('has a chart that Helm renders with that image', async () => {
    const { code, stdout } = await runHelm('template', 'x', join(folder, `one/gpu-partition-${version}.tgz`));
    expect(code).to.equal(0);
    expect(stdout).to.include(`image: example.com/gpu/operator@${digest}`);
  });

  it('has a package of npm of at most 8 MB, whose commands run', async () => {
    const file = join(folder, `one/gpu-partition-operator-${version}-npm.tgz`);
    expect(statSync(file).size).to.be.below(8_000_000);
    const args = ['install', '--prefix', join(folder, 'npm'), '--offline', '--no-audit', '--no-fund', file];
    expect(await runProgram('npm', args)).to.deep.include({ code: 0 });
    const command = join(folder, 'npm/node_modules/.bin/gpu-partition');
    expect((await runProgram(command, ['--version'])).stdout).to.equal(`${version}\n`);
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
});
