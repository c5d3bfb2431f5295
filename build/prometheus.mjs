// Builds Prometheus and promtool, its rule checker, into the cache beside the control plane; prints their paths. It needs Go and the
// module proxy, 6 minutes of CPU time and 220 MB. Without them test/config/promtool.spec.ts and test/e2e/dashboard.spec.ts skip themselves.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const module = new URL('../test/prometheus/', import.meta.url).pathname;

/** Path of promtool in these versions, built or not. */
export function promtoolPath() {
  return process.env.PROMTOOL || pathOf('promtool');
}

/** The same for Prometheus. */
export function prometheusPath() {
  return process.env.PROMETHEUS || pathOf('prometheus');
}

function pathOf(program) {
  const key = createHash('sha256')
    .update(readFileSync(join(module, 'go.sum')))
    .digest('hex')
    .slice(0, 16);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'gpu-partition-operator', 'prometheus', key, program);
}

function buildProgram(program, path) {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.building-${process.pid}`;
  const target = `github.com/prometheus/prometheus/cmd/${program}`;
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', unfinished, target];
  const { status, error } = spawnSync('go', args, { cwd: module, stdio: 'inherit' });
  if (status !== 0) throw new Error(`go build of ${program} ended with ${status ?? error}`);
  renameSync(unfinished, path);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const programs = { promtool: promtoolPath(), prometheus: prometheusPath() };
  for (const [program, path] of Object.entries(programs)) {
    if (!existsSync(path)) buildProgram(program, path);
    console.log(path);
  }
}
