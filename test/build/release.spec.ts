import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

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

describe('the release', () => {
  const text = readFileSync(`${folder}/release.yaml`, 'utf8');

  it('has manifests of every overlay', () => {
    const [, list = ''] = /for name in (.+); do/.exec(text) ?? [];
    const overlays = readdirSync('config/overlays').map((name) => `overlays/${name}`);
    expect(list.split(' ')).to.have.members(['default', ...overlays]);
  });

  it('names in its commands what the files that it changes have', () => {
    const values = readFileSync('charts/gpu-partition/values.yaml', 'utf8');
    expect(values).to.include('repository: gpu-partition-operator').and.include('digest: ""');
    expect(readFileSync('config/controller/deployment.yaml', 'utf8')).to.include('image: gpu-partition-operator:dev');
    expect(existsSync('test/support/helm.ts')).to.equal(true);
  });
});
