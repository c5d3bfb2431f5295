// Writes release/, or the given folder: all that a release has, from what `make build executable image` left in dist/. The same commit gives the same bytes.
// IMAGE is where the image will be, RELEASE_URL where the files will be: without it there is no manifest for krew. SOURCE_URL is the repository's.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { findControlPlane } from '../src/simulator/control-plane/build.ts';
import { compress, readArchive, writeArchive } from './archives.mjs';
import { describeForArtifactHub, describeForOlm } from './catalogs.mjs';
import { architectures, readNode } from './node-binaries.mjs';

const root = new URL('../', import.meta.url);
const target = pathToFileURL(`${resolve(process.argv[2] ?? fileURLToPath(new URL('release', root)))}/`);
const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const { version } = manifest;
const image = process.env.IMAGE || 'gpu-partition-operator';
const releaseUrl = process.env.RELEASE_URL;
const sourceUrl = process.env.SOURCE_URL;
const read = (path) => readFile(new URL(path, root));
const digest = (await readFile(new URL('dist/image.digest', root), 'utf8')).trim();
const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
const release = {
  version,
  description: manifest.description,
  image: `${image}@${digest}`,
  created: new Date(Number(seconds) * 1000).toISOString(),
  notes: await readNotes(),
  sourceUrl,
  iconUrl: releaseUrl && `${releaseUrl}/icon.svg`,
};
const licenses = [
  { name: 'LICENSE', bytes: await read('LICENSE') },
  { name: 'NOTICES.txt', bytes: await read('dist/NOTICES.txt') },
];

async function write(name, bytes) {
  await writeFile(new URL(name, target), bytes);
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @returns {Promise<object[]>} where krew finds the command for each architecture */
async function writeExecutables() {
  const platforms = [];
  for (const architecture of architectures) {
    const { license } = await readNode(architecture);
    const archive = await writeArchive([
      { name: 'gpu-partition', bytes: await read(`dist/gpu-partition-linux-${architecture}`), mode: 0o755 },
      ...licenses,
      { name: 'NODE-LICENSE', bytes: license },
    ]);
    const name = `gpu-partition_${version}_linux_${architecture}.tar.gz`;
    const bytes = compress(archive);
    await write(name, bytes);
    platforms.push({
      selector: { matchLabels: { os: 'linux', arch: architecture } },
      uri: `${releaseUrl}/${name}`,
      sha256: hashOf(bytes),
      bin: 'gpu-partition',
    });
  }
  return platforms;
}

async function writeKrewManifest(platforms) {
  const spec = {
    version: `v${version}`,
    shortDescription: manifest.description,
    description:
      'Checks and plans MIG layouts, and shows a fleet of partitioned GPUs. `kubectl gpu-partition --help` lists its commands.',
    platforms,
  };
  const plugin = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'gpu-partition' },
    spec,
  };
  await write('krew.yaml', stringify(plugin, { lineWidth: 0 }));
}

/** Both architectures in one archive, which containerd keeps under the name that the manifests of this release ask for. */
async function writeImage() {
  const entries = await readArchive(await read('dist/image.tar'));
  const layout = entries.find(({ name }) => name === 'index.json');
  const { manifests, ...rest } = JSON.parse(layout.bytes.toString());
  const named = manifests.map((one) => {
    const annotations = { ...one.annotations, 'io.containerd.image.name': `${fullName(image)}@${digest}` };
    return { ...one, annotations };
  });
  layout.bytes = Buffer.from(JSON.stringify({ ...rest, manifests: named }));
  await write(`gpu-partition-operator_${version}.oci.tar`, await writeArchive(entries));
}

/** As nodes understand the name of an image: a first part that cannot be a host belongs to the path. */
function partsOf(name) {
  const [host, ...path] = name.split('/');
  const hasHost = path.length > 0 && /[.:]|^localhost$/.test(host);
  return hasHost ? { registry: host, repository: path.join('/') } : { registry: '', repository: name };
}

function fullName(name) {
  if (partsOf(name).registry !== '') return name;
  return `docker.io/${name.includes('/') ? '' : 'library/'}${name}`;
}

/** Each overlay for `kubectl apply`, with the image by its digest. */
async function writeManifests() {
  const kubectl = process.env.KUBECTL || (await findControlPlane()).kubectl;
  const render = (folder) =>
    execFileSync(kubectl, ['kustomize', folder], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const overlays = (await readdir(new URL('config/overlays/', root))).map((name) => `overlays/${name}`);
  for (const folder of ['default', ...overlays].sort()) {
    const text = render(`config/${folder}`);
    const named = text.replaceAll('image: gpu-partition-operator:dev', `image: ${release.image}`);
    if (named === text) throw new Error(`config/${folder} has no image gpu-partition-operator:dev`);
    await write(`install-${folder.replace('overlays/', '')}.yaml`, named);
    if (folder === 'overlays/openshift') await writeOlmBundle(parseAllDocuments(named).map((one) => one.toJS()));
  }
  await write('crds.yaml', render('config/crd'));
}

/** For a catalog of OperatorHub, and what the Operator Lifecycle Manager cannot install. */
async function writeOlmBundle(objects) {
  const { bundle, rest } = await describeForOlm(release, objects);
  await write(`gpu-partition-operator_${version}_olm-bundle.tar.gz`, compress(await writeArchive(bundle)));
  await write('olm-agents.yaml', rest.map((object) => stringify(object, { lineWidth: 0 })).join('---\n'));
}

/** As `helm package` would, with the image by its digest, and what Artifact Hub shows. */
async function writeChartArchive() {
  const folder = 'charts/gpu-partition/';
  const files = (await readdir(new URL(folder, root), { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  );
  const { registry, repository } = partsOf(image);
  const entries = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = `${parentPath}/${name}`.replaceAll('//', '/').split(folder)[1];
      return { name: `gpu-partition/${file}`, bytes: await read(folder + file) };
    }),
  );
  const values = entries.find(({ name }) => name === 'gpu-partition/values.yaml');
  const own = `registry: ${JSON.stringify(registry)}\n  repository: ${repository}\n`;
  const text = values.bytes.toString();
  values.bytes = text.replace('registry: ""\n  repository: gpu-partition-operator\n', own);
  if (!values.bytes.includes(own)) throw new Error('values.yaml of the chart has no image');
  const chart = entries.find(({ name }) => name === 'gpu-partition/Chart.yaml');
  const { annotations, ...described } = await describeForArtifactHub(release);
  // Not a value: with a tag of the user's own it says nothing.
  const all = { 'gpupartition.dev/image-digest': digest, ...annotations };
  chart.bytes = stringify({ ...parse(chart.bytes.toString()), ...described, annotations: all }, { lineWidth: 0 });
  await write(`gpu-partition-${version}.tgz`, compress(await writeArchive(inOrder(entries))));
}

/** Helm wants Chart.yaml first, though any order is read. */
function inOrder(entries) {
  const rank = ({ name }) => (name.endsWith('/Chart.yaml') || name === 'package/package.json' ? 0 : 1);
  return entries.toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
}

/** The command for `npx`, which starts the one that has the package's name, and nvidia-smi's simulator: everything is in the bundles. */
async function writeNpmPackage() {
  const { description, license, type, engines, bin, files } = manifest;
  const name = 'gpu-partition';
  const published = { name, version, description, license, type, engines, bin, files };
  const entries = await Promise.all(
    files.map(async (file) => ({
      name: `package/${file}`,
      bytes: await read(file),
      mode: file.endsWith('.mjs') ? 0o755 : 0o644,
    })),
  );
  const others = [
    { name: 'package/package.json', bytes: `${JSON.stringify(published, undefined, 2)}\n` },
    { name: 'package/LICENSE', bytes: await read('LICENSE') },
  ];
  await write(`${name}_${version}_npm.tgz`, compress(await writeArchive(inOrder([...entries, ...others]))));
}

/** @returns what CHANGELOG.md says about this version */
async function readNotes() {
  const text = await readFile(new URL('CHANGELOG.md', root), 'utf8');
  const section = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${version}`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}`);
  return section.replace(/^## .*\n+/, '');
}

async function writeChecksums() {
  const names = (await readdir(target)).filter((name) => name !== 'SHA256SUMS').sort();
  const lines = await Promise.all(
    names.map(async (name) => `${hashOf(await readFile(new URL(name, target)))}  ${name}\n`),
  );
  await write('SHA256SUMS', lines.join(''));
}

await rm(target, { recursive: true, force: true });
await mkdir(target);
const platforms = await writeExecutables();
if (releaseUrl) await writeKrewManifest(platforms);
await writeImage();
await writeManifests();
await writeChartArchive();
await writeNpmPackage();
await write('sbom.cdx.json', execFileSync(process.execPath, ['build/sbom.mjs'], { cwd: root, maxBuffer: 1 << 26 }));
await write('NOTES.md', release.notes);
await write('first-policy.yaml', await read('samples/first-policy.yaml'));
await write('icon.svg', await read('docs/images/icon.svg'));
await writeChecksums();
