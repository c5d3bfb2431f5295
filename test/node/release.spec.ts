import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { importImages } from './containerd.ts';
import { gpus } from './gpus.ts';
import type { Profiles } from './operator.ts';
import { nodeName } from './node-config.ts';
import { isOnNode } from './real-node.ts';
import { useRealNode } from './shared-node.ts';

const mixed: Profiles = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };

/** What `make release` wrote: of an earlier number, and of this one. */
const releases = { previous: 'dist/previous/release', current: 'release' } as const;
type Name = keyof typeof releases;

/** Everything is done with files of the two releases, in a folder that has nothing else. */
describe('the files of a release alone, on a real kubelet', function () {
  this.timeout(300_000);
  const operator = useRealNode();
  let folder: string;

  before(async function () {
    if (!Object.values(releases).every((one) => existsSync(join(one, 'SHA256SUMS')))) {
      console.log('    skipped: make release dist/previous/.released writes both releases');
      return this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), 'release-'));
    for (const [name, from] of Object.entries(releases)) await symlink(resolve(from), join(folder, name));
    return undefined;
  });

  after(async () => {
    if (!isOnNode() || folder === undefined) return;
    await operator()
      .kubectl('delete', 'gpp', '--all', '--ignore-not-found', '--timeout=60s')
      .catch(() => '');
    await operator().kubectl('delete', '-f', fileOf('current', 'install-default.yaml'), '--ignore-not-found');
    await operator().kubectl('label', 'node', nodeName, 'pool-');
    await rm(folder, { recursive: true });
  });

  const fileOf = (release: Name, file: string): string => join(folder, release, file);

  async function findFile(release: Name, pattern: RegExp): Promise<string> {
    const [found = ''] = (await readdir(join(folder, release))).filter((name) => pattern.test(name));
    return fileOf(release, found);
  }

  async function versionOf(release: Name): Promise<string> {
    const [, version = ''] =
      /gpu-partition-(\d+\.\d+\.\d+)\.tgz$/.exec(await findFile(release, /^gpu-partition-\d.*\.tgz$/)) ?? [];
    return version;
  }

  /** As docs/install.md and docs/upgrade.md say. */
  async function apply(file: string): Promise<void> {
    await operator().kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
  }

  async function agentVersion(): Promise<string> {
    return operator().kubectl('get', 'gpn', nodeName, '-o', 'jsonpath={.status.device.agentVersion}');
  }

  it('have the hashes that they say', async () => {
    for (const name of Object.keys(releases)) {
      const { code, stderr } = await runProgram('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], {
        cwd: join(folder, name),
      });
      expect(code, stderr).to.equal(0);
    }
  });

  it('install the operator by the lines of README, and its policy becomes Ready', async () => {
    await importImages(await findFile('previous', /\.oci\.tar$/));
    await operator().runPlugin('mixed');
    const [, lines = ''] = /## Install it[^]*?```sh\n([^]*?)```/.exec(await readFile('README.md', 'utf8')) ?? [];
    const { binaries } = operator().node.controlPlane;
    const env = {
      PATH: `${dirname(binaries.kubectl)}:${process.env['PATH']}`,
      KUBECONFIG: await operator().node.controlPlane.kubeconfigFile(),
    };
    const run = await runProgram('bash', ['--norc', '-ec', lines], {
      cwd: join(folder, 'previous'),
      env,
      timeoutMs: 200_000,
    });
    expect(run.code, run.stderr + run.stdout).to.equal(0);
    await operator().untilRead(gpus);
    await operator().kubectl('patch', 'gpp', 'first', '--type=merge', '-p', '{"spec":{"mode":"Enforce"}}');
    await untilDone();
    expect(await agentVersion()).to.equal(await versionOf('previous'));
  });

  async function untilDone(): Promise<void> {
    const ready = '--for=jsonpath={.status.conditions[?(@.type=="Ready")].reason}=Ready';
    await operator().kubectl('wait', 'gpp/first', ready, '--timeout=90s');
    await operator().untilAdvertised(mixed);
    expect(await operator().taints()).to.deep.equal([]);
  }

  it('with a wrong digest leave the controllers at work: they stay until others are Ready', async () => {
    const wrong = join(folder, 'wrong.yaml');
    const text = await readFile(fileOf('current', 'install-default.yaml'), 'utf8');
    await writeFile(wrong, text.replaceAll(/@sha256:[0-9a-f]{8}/g, '@sha256:00000000'));
    await apply(wrong);
    const reasons = ['get', 'pods', '-n', 'gpu-partition-system', '-o', 'jsonpath={..waiting.reason}'];
    await operator().until(
      () => operator().kubectl(...reasons),
      (reason) => /ErrImagePull|ImagePullBackOff/.test(reason),
      'the reason why a controller’s pod waits',
    );
    const available = [
      'get',
      'deploy',
      'gpu-partition-controller',
      '-n',
      'gpu-partition-system',
      '-o',
      'jsonpath={.status.availableReplicas}',
    ];
    expect(Number(await operator().kubectl(...available))).to.be.at.least(1);
  });

  it('upgrade it, and change no GPU', async () => {
    const changes = await operator().countChanges();
    await importImages(await findFile('current', /\.oci\.tar$/));
    await apply(fileOf('current', 'crds.yaml'));
    await apply(fileOf('current', 'install-default.yaml'));
    await operator().rollOut();
    const version = await versionOf('current');
    await operator().until(agentVersion, (found) => found === version, 'the version that the agent reports');
    await untilDone();
    expect(await operator().countChanges()).to.equal(changes);
  });

  it('uninstall it, with their executable, and leave nothing', async () => {
    const command = join(folder, 'gpu-partition');
    const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
    const archive = await findFile('current', new RegExp(`^gpu-partition_.*_linux_${architecture}\\.tar\\.gz$`));
    expect(await runProgram('tar', ['-xzf', archive, '-C', folder, 'gpu-partition'])).to.include({ code: 0 });
    await operator().kubectl('delete', 'gpp', '--all', '--wait', '--timeout=60s');
    await operator().kubectl('wait', 'gpn', '--all', '--for=jsonpath={.status.phase}=Unmanaged', '--timeout=60s');
    const kubeconfig = await operator().node.controlPlane.kubeconfigFile();
    const args = ['release', '--stop-controller', '--kubeconfig', kubeconfig];
    const { code, stderr } = await runProgram(command, args, { env: {} });
    expect(code, stderr).to.equal(0);
    await operator().kubectl('delete', '-f', fileOf('current', 'install-default.yaml'), '--timeout=120s');
    const kinds =
      'namespaces,crds,clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';
    const left = (await operator().kubectl('get', kinds, '-o', 'name')).split('\n');
    expect(left.filter((name) => /gpu-?partition/.test(name))).to.deep.equal([]);
    const { metadata } = await operator().readNode();
    expect([...Object.keys(metadata.labels), ...(await operator().taints())].join(' ')).to.not.include(
      'gpupartition.dev/',
    );
  });
});
