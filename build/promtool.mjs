// Builds promtool, Prometheus' own checker of rules, into the cache beside the control plane; prints where it is. It needs Go and the
// module proxy, 5 minutes of CPU time and 110 MB. Without it test/config/promtool.spec.ts skips itself.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const module = new URL('../test/prometheus/', import.meta.url).pathname;

/** Where promtool of these versions is, or will be. */
export function promtoolPath() {
  if (process.env.PROMTOOL) return process.env.PROMTOOL;
  const key = createHash('sha256')
    .update(readFileSync(join(module, 'go.sum')))
    .digest('hex')
    .slice(0, 16);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'gpu-partition-operator', 'promtool', key, 'promtool');
}

function buildPromtool(path) {
  mkdirSync(join(path, '..'), { recursive: true });
  const unfinished = `${path}.building-${process.pid}`;
  const args = [
    'build',
    '-trimpath',
    '-ldflags=-s -w',
    '-o',
    unfinished,
    'github.com/prometheus/prometheus/cmd/promtool',
  ];
  const { status, error } = spawnSync('go', args, { cwd: module, stdio: 'inherit' });
  if (status !== 0) throw new Error(`go build of promtool ended with ${status ?? error}`);
  renameSync(unfinished, path);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const path = promtoolPath();
  if (!existsSync(path)) buildPromtool(path);
  console.log(path);
}
