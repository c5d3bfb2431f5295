// Rejects imports against the direction of the layers, against the order of rooms inside src/core, and past a room's doors.
// oxlint cannot express this: its patterns see the text of an import, not the file that it leads to.
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Rooms of src/core: a room knows only those before it. */
const order = [
  'text',
  'gpu',
  'kubernetes',
  'nvidia',
  'device',
  'smi',
  'rollout',
  'policy',
  'node',
  'cluster',
  'demand',
  'explain',
  'plan',
  'host',
  'view',
];

/** What each folder of src may import, besides itself. Programs import shells, shells the core, the core src/api. */
const shells = ['api', 'core', 'kube', 'kubelet', 'device', 'process', 'planner'];
const layers = {
  api: [],
  core: ['api'],
  kube: shells,
  kubelet: shells,
  device: shells,
  process: shells,
  planner: shells,
  ui: shells,
  controller: shells,
  agent: shells,
  cli: [...shells, 'controller', 'agent', 'ui'],
  simulator: [...shells, 'controller', 'agent', 'cli', 'ui'],
};

/** The files of a room that other rooms and layers may import; all others are the room's own. */
const doors = {
  cluster: ['facts', 'kept-pods'],
  demand: [
    'defrag',
    'kueue',
    'plan-pool',
    'pod-outlook',
    'queues',
    'recommend',
    'simulated',
    'solver/choose',
    'state',
    'waiting-pods',
  ],
  device: ['agent', 'grants', 'holders', 'kubelet', 'plan'],
  explain: ['doctor', 'doctor-host', 'pod', 'waste'],
  gpu: ['device-state', 'geometry', 'grid', 'layouts', 'plan', 'profiles'],
  host: ['boot', 'import', 'plan', 'support-bundle'],
  kubernetes: ['node', 'pod'],
  node: [
    'commands',
    'decide',
    'eviction',
    'owners',
    'plugin-pods',
    'rules/gpu-clients',
    'rules/plan',
    'snapshot',
    'status',
    'status-figures',
  ],
  nvidia: ['labels', 'plugin-config', 'predict'],
  plan: ['change', 'simulation/play'],
  policy: ['check', 'device-classes', 'fleet', 'record', 'resolve-node', 'schema', 'spec', 'templates'],
  rollout: ['budget', 'ledger'],
  smi: ['change', 'command', 'reader', 'selftest', 'selftest-bundle', 'selftest-change'],
  text: ['asking', 'json', 'syntax', 'words'],
  view: ['fleet', 'lines', 'status'],
};

const root = new URL('../', import.meta.url).pathname;
const layerOf = (file) => /^src\/([^/]+)\//.exec(file)?.[1];
const roomOf = (file) => /^src\/core\/([^/]+)\//.exec(file)?.[1];
const nameIn = (file) => /^src\/core\/[^/]+\/(.+)\.ts$/.exec(file)?.[1];

function checkImport(file, imported) {
  const [from, to] = [layerOf(file), layerOf(imported)];
  if (to === undefined) return undefined;
  if (from !== to && !layers[from]?.includes(to))
    return `src/${from} may not import src/${to}: imports go one way, programs, shells, core, api`;
  const [room, other] = [roomOf(file), roomOf(imported)];
  if (other === undefined || room === other) return undefined;
  if (room !== undefined && order.indexOf(other) > order.indexOf(room)) {
    return `${room} comes before ${other} in the order of rooms (${order.join(' < ')}), so it may not import ${imported}: move what both need to the earlier room`;
  }
  if (doors[other]?.includes(nameIn(imported)) === false) {
    return `${imported} is not a door of ${other} (${doors[other].join(', ')}): ask one of these, or a larger question`;
  }
  return undefined;
}

const failures = [];
for await (const file of glob('src/**/*.ts', { cwd: root })) {
  const room = roomOf(file);
  if (room !== undefined && !order.includes(room)) {
    failures.push(`${file}: ${room} has no place in the order of rooms: give it one in build/check-rooms.mjs`);
    continue;
  }
  const text = await readFile(join(root, file), 'utf8');
  for (const { 1: specifier, index } of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    const failure = checkImport(file, join(dirname(file), specifier));
    if (failure) failures.push(`${file}:${text.slice(0, index).split('\n').length}: ${failure}`);
  }
}
for (const failure of failures.sort()) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
