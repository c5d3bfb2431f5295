// Rejects imports against the order of rooms inside src/core: a room knows only those before it.
// oxlint cannot express this in one place: each override of no-restricted-imports replaces the previous one.
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const order = [
  'text',
  'gpu/geometry',
  'gpu/search',
  'gpu/plan',
  'gpu/assign',
  'demand',
  'gpu/state',
  'gpu/target',
  'smi',
  'metadata',
  'dra',
  'pods',
  'report',
  'nvidia',
  'owners',
  'rollout',
  'wish',
  'policy',
  'classes',
  'node',
  'status',
  'plan',
  'host',
  'selftest',
  'migparted',
  'explain',
  'supply',
  'advice',
  'simulation',
  'waste',
  'projection',
  'view',
];
const core = 'src/core/';

/** The room of a file in core; undefined for a file of another layer. */
function roomOf(file) {
  if (!file.startsWith(core)) return undefined;
  const [first, second] = file.slice(core.length).split('/');
  return first === 'gpu' ? `${first}/${second}` : first;
}

function checkImport(file, specifier) {
  const room = roomOf(file);
  const imported = roomOf(join(dirname(file), specifier));
  if (imported === undefined || order.indexOf(imported) <= order.indexOf(room)) return undefined;
  return `${room} comes before ${imported} in the order of rooms (${order.join(' < ')}), so it may not import ${specifier}: move what both need to the earlier room`;
}

const root = new URL('../', import.meta.url).pathname;
const failures = [];
for await (const file of glob(`${core}**/*.ts`, { cwd: root })) {
  if (!order.includes(roomOf(file))) {
    failures.push(`${file}: ${roomOf(file)} has no place in the order of rooms: give it one in build/check-rooms.mjs`);
    continue;
  }
  const lines = (await readFile(join(root, file), 'utf8')).split('\n');
  for (const [index, line] of lines.entries()) {
    const specifier = /\b(?:from|import)\s*\(?'(\.[^']+)'/.exec(line)?.[1];
    const failure = specifier && checkImport(file, specifier);
    if (failure) failures.push(`${file}:${index + 1}: ${failure}`);
  }
}
for (const failure of failures.sort()) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
