// Writes the SBOM of the programs and of the image, as CycloneDX, from package-lock.json and debian-packages.json. `npm sbom --omit=dev` would omit packages that
// the tests use too: yaml, debug and others, which the bundles contain.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const { name } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const list = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }));

const isShipped = ({ properties }) => !properties.some((one) => one.name === 'cdx:npm:package:development');
const components = list.components.filter(isShipped);
const refs = new Set([list.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
const dependencies = list.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) }));
// npm uses the name of the folder, and writes its version, when and how often it was asked: the same commit has the same list.
const { timestamp: _, tools: ofNpm, ...rest } = list.metadata;
const tools = ofNpm.map((tool) => ({ vendor: tool.vendor, name: tool.name }));
const metadata = { ...rest, tools, component: { ...rest.component, name } };
const pins = JSON.parse(await readFile(new URL('build/debian-packages.json', root), 'utf8'));
const ofImage = Object.entries(pins).flatMap(([architecture, packages]) =>
  Object.entries(packages).map(([one, { version, sha256 }]) => {
    const purl = `pkg:deb/debian/${one}@${encodeURIComponent(version)}?arch=${architecture}`;
    return {
      'bom-ref': purl,
      type: 'library',
      name: one,
      version,
      purl,
      hashes: [{ alg: 'SHA-256', content: sha256 }],
    };
  }),
);
const parts = { metadata, components: [...components, ...ofImage], dependencies };
const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
// A UUID of version 8, which may be made of anything.
const uuid = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
process.stdout.write(`${JSON.stringify({ ...list, serialNumber: `urn:uuid:${uuid}`, ...parts }, undefined, 2)}\n`);
