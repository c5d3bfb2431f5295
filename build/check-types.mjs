// Rejects two exported types of one name: readers must not have to check which one is meant.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** src/api/types.ts re-exports the types generated from the CRDs, read-only and under the same names. */
const isGenerated = (file) => file.startsWith('src/api/generated/');
const declaration = /^export (?:declare )?(?:interface|type|(?:abstract )?class|enum) (\w+)/;

const root = new URL('../', import.meta.url).pathname;
const places = new Map();
for await (const file of glob('{src,test}/**/*.ts', { cwd: root })) {
  if (isGenerated(file)) continue;
  const lines = (await readFile(join(root, file), 'utf8')).split('\n');
  for (const [index, line] of lines.entries()) {
    const name = declaration.exec(line)?.[1];
    if (name !== undefined) places.set(name, [...(places.get(name) ?? []), `${file}:${index + 1}`]);
  }
}
for (const [name, declared] of places) {
  if (declared.length === 1) continue;
  console.error(
    `${declared.join(' and ')}: both export a type ${name}: give the more specific thing the more specific name, or declare it once`,
  );
  process.exitCode = 1;
}
