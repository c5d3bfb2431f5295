// Builds programs of other projects, by which tests judge what we publish, from Go modules in test/ into the cache beside the control plane; prints
// their paths. `go-tools.mjs prometheus` is Prometheus and promtool, its rule checker (6 minutes of CPU time, 220 MB), `go-tools.mjs judges`
// what judges manifests (2 minutes, 65 MB), `ignition` the validator
// of Ignition's configs (seconds), `karpenter` Karpenter's scheduler behind a program of ours (3 minutes, 44 MB). It needs Go and the module proxy. Tests skip themselves where a program is missing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** By folder in test/: the package of each program. */
const modules = {
  prometheus: {
    promtool: 'github.com/prometheus/prometheus/cmd/promtool',
    prometheus: 'github.com/prometheus/prometheus/cmd/prometheus',
  },
  karpenter: { 'karpenter-orders': '.' },
  ignition: { 'ignition-validate': 'github.com/coreos/ignition/v2/validate' },
  judges: {
    kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform',
    'operator-verify': 'github.com/operator-framework/api/cmd/operator-verify',
    'validate-krew-manifest': 'sigs.k8s.io/krew/cmd/validate-krew-manifest',
    krew: 'sigs.k8s.io/krew/cmd/krew',
  },
};

/** @returns {string} path of the program in the version that its module pins, built or not; or what its variable names, such as `PROMTOOL` */
export function toolPath(program) {
  const given = process.env[program.toUpperCase().replaceAll('-', '_')];
  const name = Object.keys(modules).find((one) => modules[one][program] !== undefined);
  return given || join(cacheOf(name), program);
}

/** @returns {string | undefined} where the source of a module is that a folder in test/ pins; undefined without Go or its proxy */
export function moduleFolder(name, module) {
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', module], { cwd: folderOf(name), encoding: 'utf8' });
  return stdout ? JSON.parse(stdout).Dir : undefined;
}

function folderOf(name) {
  return new URL(`../test/${name}/`, import.meta.url).pathname;
}

function cacheOf(name) {
  // Of a program of our own its source, too.
  const files = Object.values(modules[name]).includes('.') ? ['go.sum', 'main.go'] : ['go.sum'];
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(folderOf(name), file)));
  const key = hash.digest('hex').slice(0, 16);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'gpu-partition-operator', name, key);
}

function buildProgram(name, program, path) {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.building-${process.pid}`;
  const args = ['build', '-mod=readonly', '-trimpath', '-ldflags=-s -w', '-o', unfinished, modules[name][program]];
  const { status, error } = spawnSync('go', args, { cwd: folderOf(name), stdio: 'inherit' });
  if (status !== 0) throw new Error(`go build of ${program} ended with ${status ?? error}`);
  renameSync(unfinished, path);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const name of process.argv.slice(2)) {
    for (const program of Object.keys(modules[name])) {
      const path = toolPath(program);
      if (!existsSync(path)) buildProgram(name, program, path);
      console.log(path);
    }
  }
}
