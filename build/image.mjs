// Writes the image of each architecture without Docker, as an OCI archive that `docker load`, `ctr images import` and `skopeo copy` read:
// Node.js, the C and C++ libraries, chroot and our programs. No shell, no package manager. The same source gives the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { compress, writeArchive } from './archives.mjs';
import { readPackages } from './debian-packages.mjs';
import { architectures, readNode } from './node-binaries.mjs';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const repository = 'gpu-partition-operator';

/** What we take of each package. Of libc6 also what nvidia-smi of a driver without a root of its own is linked with. */
const wanted = {
  'base-files': /^(etc|usr\/lib)\/os-release$/,
  coreutils: /^usr\/sbin\/chroot$/,
  // The licence of the two libraries of GCC, whose folders of documents are links to this one's.
  'gcc-12-base': /^$/,
  libc6: /^lib(64)?\/(.*\/)?(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|nss_files|nss_dns))\.so\.\d$/,
  'libgcc-s1': /^lib\/.*\/libgcc_s\.so\.1$/,
  'libstdc++6': /^usr\/lib\/.*\/libstdc\+\+\.so\.6(\.[\d.]+)?$/,
};

/** What the pods of config/ run. */
const programs = ['controller', 'agent', 'gpu-partition', 'demand-solver'].map((name) => `dist/${name}.mjs`);

/** Packages of one source may have one folder of documents. */
function isLicence(file, name) {
  const folder = `./usr/share/doc/${name}`;
  return file.name === `${folder}/copyright` || (file.name === folder && file.type === 'symlink');
}

/** @returns {Promise<import('./archives.mjs').Entry[]>} */
async function listBase(architecture) {
  const packages = await readPackages(architecture);
  const { node, license } = await readNode(architecture);
  return [
    ...packages.flatMap(({ name, control, files }) => [
      ...files
        .map((file) => ({ ...file, name: posix.normalize(file.name) }))
        .filter((file) => wanted[name].test(file.name)),
      ...files.filter((file) => isLicence(file, name)).map((file) => ({ ...file, name: posix.normalize(file.name) })),
      // Where scanners look for the packages of an image without dpkg.
      { name: `var/lib/dpkg/status.d/${name}`, bytes: control },
    ]),
    { name: 'usr/local/bin/node', bytes: node, mode: 0o755 },
    { name: 'usr/local/share/doc/node/LICENSE', bytes: license },
    { name: 'etc/passwd', bytes: 'root:x:0:0:root:/:/nologin\nnonroot:x:65532:65532:nonroot:/:/nologin\n' },
    { name: 'etc/group', bytes: 'root:x:0:\nnonroot:x:65532:\n' },
    { name: 'etc/nsswitch.conf', bytes: 'passwd: files\ngroup: files\nhosts: files dns\n' },
    ...['dev', 'proc', 'sys', 'run'].map((name) => ({ name, type: 'directory' })),
    { name: 'tmp', type: 'directory', mode: 0o1777 },
  ];
}

/** @returns {Promise<import('./archives.mjs').Entry[]>} */
async function listPrograms() {
  const files = [...programs, 'dist/NOTICES.txt', 'LICENSE'];
  return Promise.all(
    files.map(async (file) => ({ name: `app/${posix.basename(file)}`, bytes: await readFile(new URL(file, root)) })),
  );
}

/** With the folders of all entries, sorted, so that each folder is before what is in it. */
function completed(entries) {
  const folders = new Map();
  for (const { name } of entries) {
    for (let folder = posix.dirname(name); folder !== '.'; folder = posix.dirname(folder)) {
      folders.set(folder, { name: folder, type: 'directory' });
    }
  }
  for (const entry of entries) folders.set(entry.name, entry);
  return [...folders.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function blobOf(mediaType, bytes) {
  const hex = createHash('sha256').update(bytes).digest('hex');
  return { bytes, path: `blobs/sha256/${hex}`, descriptor: { mediaType, digest: `sha256:${hex}`, size: bytes.length } };
}

function jsonBlob(mediaType, value) {
  return blobOf(mediaType, Buffer.from(JSON.stringify(value)));
}

async function layerOf(entries) {
  const archive = await writeArchive(completed(entries));
  const { descriptor } = blobOf('', archive);
  return { ...blobOf('application/vnd.oci.image.layer.v1.tar+gzip', compress(archive)), diffId: descriptor.digest };
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

async function imageOf(architecture, revision, created) {
  const layers = [await layerOf(await listBase(architecture)), await layerOf(await listPrograms())];
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    created,
    architecture,
    os: 'linux',
    config: {
      User: '65532:65532',
      // Of the driver's root too, in which nvidia-smi is looked for.
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      WorkingDir: '/app',
      Labels: {
        'org.opencontainers.image.title': repository,
        'org.opencontainers.image.description': 'Partitions NVIDIA GPUs with MIG by policy',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': revision,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: ['Debian, Node.js', 'programs'].map((comment) => ({ created, comment })),
  });
  const manifest = jsonBlob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: config.descriptor,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  return { platform: { architecture, os: 'linux' }, layers, config, manifest };
}

function manifestsOf(images) {
  return images.map(({ manifest, platform }) => ({ ...manifest.descriptor, platform }));
}

/** What a registry has under a tag: the images of all architectures. */
function indexOf(images) {
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  return jsonBlob(mediaType, { schemaVersion: 2, mediaType, manifests: manifestsOf(images) });
}

/** @param more further blobs, for the index of the archive to name */
async function archiveOf(images, named, more = []) {
  const blobs = [...images.flatMap(({ layers, config, manifest }) => [...layers, config, manifest]), ...more];
  const byPath = new Map(blobs.map(({ path, bytes }) => [path, bytes]));
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `docker.io/library/${repository}:${version}`,
  };
  const index = { schemaVersion: 2, manifests: named.map((descriptor) => ({ ...descriptor, annotations })) };
  const forDocker = images.map(({ config, layers, platform: { architecture } }) => ({
    Config: config.path,
    RepoTags: [`${repository}:${version}${images.length === 1 ? '' : `-${architecture}`}`],
    Layers: layers.map(({ path }) => path),
  }));
  return writeArchive(
    completed([
      { name: 'oci-layout', bytes: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
      { name: 'index.json', bytes: JSON.stringify(index) },
      { name: 'manifest.json', bytes: JSON.stringify(forDocker) },
      ...[...byPath].map(([name, bytes]) => ({ name, bytes })),
    ]),
  );
}

const revision = git('rev-parse', 'HEAD');
const created = new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString().replace('.000', '');
const images = [];
for (const architecture of architectures) images.push(await imageOf(architecture, revision, created));
for (const image of images) {
  const path = new URL(`dist/image-linux-${image.platform.architecture}.tar`, root);
  await writeFile(path, await archiveOf([image], manifestsOf([image])));
}
const index = indexOf(images);
// What a registry gets: both, under one digest.
await writeFile(new URL('dist/image.tar', root), await archiveOf(images, [index.descriptor], [index]));
await writeFile(new URL('dist/image.digest', root), `${index.descriptor.digest}\n`);
