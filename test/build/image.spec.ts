import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/simulator/control-plane/run.ts';
import { renderFolder } from '../api/installation.ts';
import { bundledPackages, readPartsList } from './parts.ts';
import { templateOf, workloadKinds } from '../config/workload.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

/** What a `COPY` of the Dockerfile takes from the folder that it is built in. */
async function copiedFiles(): Promise<readonly string[]> {
  const text = await readFile('Dockerfile', 'utf8');
  return [...text.matchAll(/^COPY (?!--from)(.+) \/app\/$/gm)].flatMap(([, files = '']) => files.split(/\s+/));
}

describe('the image of the Dockerfile', () => {
  it('copies files that are there after a build, and that the context is not kept from', async function () {
    if (!existsSync('dist')) return this.skip();
    const files = await copiedFiles();
    expect(files).to.include.members(['dist/agent.mjs', 'dist/controller.mjs', 'dist/NOTICES.txt', 'LICENSE']);
    const kept = (await readFile('.dockerignore', 'utf8')).trim().split('\n');
    expect(kept.shift()).to.equal('*');
    expect(kept.toSorted()).to.deep.equal(files.map((file) => `!${file}`).toSorted());
    for (const file of files) expect(existsSync(file), file).to.equal(true);
    return undefined;
  });

  it('has the programs that the pods run, and no simulator nor source map', async function () {
    this.timeout(clusterTimeoutMs);
    const files = (await copiedFiles()).map((file) => file.replace('dist/', '/app/'));
    const objects = await renderFolder('config/default');
    for (const kind of workloadKinds) {
      expect(files).to.include(templateOf(objects, kind).spec.containers[0]?.command.at(-1));
    }
    expect(files.join(' ')).to.not.match(/sim|\.map/);
  });

  it('does not run as root: only the agent’s pod asks for that', async () => {
    expect(await readFile('Dockerfile', 'utf8')).to.match(/^USER 65532:65532\n*$/m);
  });

  it('carries the licence of every package of which a bundle has a part', async function () {
    if (!existsSync('dist/NOTICES.txt')) return this.skip();
    const notices = await readFile('dist/NOTICES.txt', 'utf8');
    const lacking = (await bundledPackages()).filter((name) => !`\n${notices}`.includes(`\n${name} `));
    expect(lacking).to.deep.equal([]);
    return undefined;
  });

  it('has a list of parts in CycloneDX that names every package of the bundles by version and hash', async function () {
    if (!existsSync('dist')) return this.skip();
    const { components, ...list } = await readPartsList();
    expect(list).to.include({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    // Another npm writes the same list.
    expect(JSON.stringify(list.metadata.tools)).to.include('npm').and.not.include('version');
    expect(list.serialNumber).to.match(/^urn:uuid:[0-9a-f-]{36}$/);
    for (const { name, purl, hashes = [] } of components) {
      expect(purl, name).to.match(/^pkg:(npm|deb)\/.+@\d+\./);
      expect(hashes[0]?.content, name).to.match(/^(?:[0-9a-f]{64}){1,2}$/);
    }
    const names = new Set(components.map(({ name }) => name));
    expect((await bundledPackages()).filter((name) => !names.has(name))).to.deep.equal([]);
    return undefined;
  });
});

interface Descriptor {
  readonly digest: string;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface ImageConfig {
  readonly architecture: string;
  readonly config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

for (const architecture of ['amd64', 'arm64']) {
  describe(`the archive of the image for ${architecture} @all`, function () {
    this.timeout(60_000);
    const isOurs = architecture === (process.arch === 'x64' ? 'amd64' : process.arch);
    let folder: string;
    let manifest: Manifest;
    let files: ReadonlySet<string>;

    const run = async (program: string, ...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runProgram(program, args);
      if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
      return stdout;
    };
    const read = async <T>(file: string): Promise<T> => JSON.parse(await readFile(join(folder, file), 'utf8')) as T;
    const blobOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;

    before(async function () {
      const archive = `dist/image-linux-${architecture}.tar`;
      if (!existsSync(archive)) {
        console.log('    skipped: make image writes it');
        return this.skip();
      }
      folder = await mkdtemp(join(tmpdir(), 'image-'));
      await run('tar', '-xf', archive, '-C', folder);
      const { manifests } = await read<{ readonly manifests: readonly Descriptor[] }>('index.json');
      expect(manifests).to.have.lengthOf(1);
      manifest = await read(blobOf(manifests[0] ?? { digest: '' }));
      await mkdir(join(folder, 'root'));
      for (const layer of manifest.layers) {
        await run('tar', '-xzf', join(folder, blobOf(layer)), '-C', join(folder, 'root'), '--no-same-owner');
      }
      const list = await run('find', join(folder, 'root'), '-not', '-type', 'd', '-printf', '/%P\n');
      files = new Set(list.trim().split('\n'));
      return undefined;
    });

    after(async () => {
      if (folder !== undefined) await rm(folder, { recursive: true });
    });

    it('has every blob under its hash, and the same parts for OCI and for docker load', async () => {
      const all = [manifest.config, ...manifest.layers];
      for (const one of all) {
        const sum = await run('sha256sum', join(folder, blobOf(one)));
        expect(`sha256:${sum.split(' ')[0]}`).to.equal(one.digest);
      }
      const [forDocker, ...rest] =
        await read<readonly { readonly Config: string; readonly Layers: readonly string[] }[]>('manifest.json');
      expect(rest).to.deep.equal([]);
      expect(forDocker).to.deep.include({ Config: blobOf(manifest.config), Layers: manifest.layers.map(blobOf) });
    });

    it('does not run as root, and says what it is', async () => {
      const { config, rootfs, ...image } = await read<ImageConfig>(blobOf(manifest.config));
      expect(image.architecture).to.equal(architecture);
      expect(config.User).to.equal('65532:65532');
      expect(config.Labels['org.opencontainers.image.revision']).to.match(/^[0-9a-f]{40}$/);
      for (const [index, layer] of manifest.layers.entries()) {
        const sum = await run('bash', '-c', 'gunzip < "$0" | sha256sum', join(folder, blobOf(layer)));
        expect(rootfs.diff_ids[index]).to.equal(`sha256:${sum.split(' ')[0]}`);
      }
    });

    it('has what the Dockerfile copies, Node.js and chroot, and neither shell nor package manager', async () => {
      const copied = (await copiedFiles()).map((file) => file.replace(/^(dist\/)?/, '/app/'));
      expect([...files]).to.include.members(copied);
      const others = [...files].filter((file) => /bin\//.test(file));
      expect(others).to.have.members(['/usr/local/bin/node', '/usr/sbin/chroot']);
      expect([...files].join(' ')).to.not.match(/sim\.mjs|\.map\b|\/(sh|bash|dash|apt|dpkg|npm)( |$)/);
      const programs = [...files].filter((file) => file.startsWith('/app/'));
      expect(programs).to.have.members(copied);
    });

    it('has the licence of each package of Debian that it has a part of, and of Node.js', () => {
      const root = join(folder, 'root');
      const names = readdirSync(join(root, 'var/lib/dpkg/status.d'));
      expect(names).to.include('libc6');
      const licences = names.map((name) => `usr/share/doc/${name}/copyright`);
      for (const file of [...licences, 'usr/local/share/doc/node/LICENSE']) {
        expect(existsSync(join(root, file)), file).to.equal(true);
      }
    });

    it('starts each program as the user of the pods, and chroot', async function () {
      if (!isOurs || process.getuid?.() !== 0) return this.skip();
      const root = join(folder, 'root');
      await run('chmod', '755', folder);
      const start = async (...args: readonly string[]) =>
        runProgram('chroot', ['--userspec=65532:65532', root, ...args], { env: { PATH: process.env['PATH'] } });
      for (const program of ['controller', 'agent', 'gpu-partition']) {
        const { code, stdout, stderr } = await start('/usr/local/bin/node', `/app/${program}.mjs`, '--help');
        expect({ program, code, stderr }).to.deep.equal({ program, code: 0, stderr: '' });
        expect(stdout).to.contain('Usage');
      }
      expect(await start('/usr/sbin/chroot', '--version')).to.include({ code: 0 });
      return undefined;
    });
  });
}

describe('the archive of both architectures @all', function () {
  this.timeout(60_000);

  it('is copied by skopeo, as install.md says, to a registry that then has it under the digest of the manifests', async function () {
    const programs = ['skopeo', 'docker-registry'];
    for (const program of programs) {
      if ((await runProgram('which', [program])).code === 0) continue;
      console.log(`      skipped: there is no ${program} here, which Debian has a package of`);
      return this.skip();
    }
    if (!existsSync('dist/image.digest')) return this.skip();
    const page = await readFile('docs/install.md', 'utf8');
    const [, options = ''] = /skopeo copy (.*) oci-archive:/.exec(page) ?? [];
    const folder = await mkdtemp(join(tmpdir(), 'registry-'));
    await using registry = await startRegistry(folder);
    const named = `docker://${registry.host}/gpu-partition-operator:own`;
    const args = ['--insecure-policy', 'copy', '--dest-tls-verify=false', ...options.split(' ')];
    const copied = await runProgram('skopeo', [...args, 'oci-archive:dist/image.tar', named]);
    expect(copied.code, copied.stderr).to.equal(0);
    const inspect = ['inspect', '--tls-verify=false', '--format={{.Digest}}', named];
    expect((await runProgram('skopeo', inspect)).stdout).to.equal(await readFile('dist/image.digest', 'utf8'));
    return undefined;
  });
});

/** Debian's docker-registry, on a free port of this machine; removes the folder in the end. */
async function startRegistry(folder: string): Promise<{ readonly host: string } & AsyncDisposable> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const host = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
  holder.close();
  const settings = { version: 0.1, storage: { filesystem: { rootdirectory: folder } }, http: { addr: host } };
  await writeFile(join(folder, 'settings.yml'), JSON.stringify(settings));
  const server = spawn('docker-registry', ['serve', join(folder, 'settings.yml')], { stdio: 'ignore' });
  const isUp = () =>
    fetch(`http://${host}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(isUp, Boolean, { timeoutMs: 20_000, what: 'a registry that answers' });
  return {
    host,
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await once(server, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}
