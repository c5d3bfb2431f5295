// Writes the SBOM of the programs, as CycloneDX, from package-lock.json. `npm sbom --omit=dev` would omit packages that
// the tests use too: yaml, debug and others, which the bundles contain.
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
// npm uses the name of the folder.
const metadata = { ...list.metadata, component: { ...list.metadata.component, name } };
process.stdout.write(`${JSON.stringify({ ...list, metadata, components, dependencies }, undefined, 2)}\n`);
