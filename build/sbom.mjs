// Writes the list of what the programs are made of, as CycloneDX, from package-lock.json. `npm sbom --omit=dev` would leave out what
// the tests use as well: yaml, debug and others, which the bundles contain.
import { execFileSync } from 'node:child_process';
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
// npm takes the name of the folder.
const metadata = { ...list.metadata, component: { ...list.metadata.component, name } };
process.stdout.write(`${JSON.stringify({ ...list, metadata, components, dependencies }, undefined, 2)}\n`);
