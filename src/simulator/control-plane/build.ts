import {
  access,
  constants,
  readFile,
  readdir,
  stat,
  writeFile,
  mkdir,
  mkdtemp,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';
import { omitUndefined } from '../../core/text/json.ts';
import { ControlPlaneError, runProgram, startGuard, takeLock, reportProgress, type OnProgress } from './run.ts';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { homedir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { isOlderVersion as isOlder } from '../../core/gpu/geometry.ts';
import { messageOf } from '../../core/text/words.ts';

/** Paths of the programs. The last three are absent if the user's KUBEBUILDER_ASSETS lacks them. */
export interface Binaries {
  readonly folder: string;
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
  readonly kubeControllerManager?: string;
  readonly kubeScheduler?: string;
  /** The kubelet, for the tests on a real node. */
  readonly kubelet?: string;
}

const requiredPrograms = ['etcd', 'kube-apiserver', 'kubectl'] as const;
const allPrograms = [...requiredPrograms, 'kube-controller-manager', 'kube-scheduler', 'kubelet'] as const;

/** Lists those of `names` that are not executable files in this folder. */
async function missingPrograms(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map(async (name) => isExecutable(join(folder, name))));
  return names.filter((_, i) => found[i] !== true);
}

async function binariesIn(folder: string): Promise<Binaries> {
  const ifThere = async (name: string): Promise<string | undefined> =>
    (await isExecutable(join(folder, name))) ? join(folder, name) : undefined;
  return omitUndefined({
    folder,
    etcd: join(folder, 'etcd'),
    kubeApiserver: join(folder, 'kube-apiserver'),
    kubectl: join(folder, 'kubectl'),
    kubeControllerManager: await ifThere('kube-controller-manager'),
    kubeScheduler: await ifThere('kube-scheduler'),
    kubelet: await ifThere('kubelet'),
  });
}

/** The user's folder, by envtest's convention: setup-envtest provides etcd, kube-apiserver and kubectl. */
async function findAssets(folder: string): Promise<Binaries> {
  const missing = await missingPrograms(folder, requiredPrograms);
  if (missing.length > 0) {
    throw new ControlPlaneError(
      'AssetsIncomplete',
      `KUBEBUILDER_ASSETS is ${folder}, which lacks ${missing.join(', ')} (as executable files): ` +
        `point it at a folder with ${requiredPrograms.join(', ')}, or unset it to build them with Go.`,
    );
  }
  return binariesIn(folder);
}

/** Runs `kubectl version --client`; undefined if the program answers with its version, else its actual response. */
async function probeKubectl(kubectl: string, version: string): Promise<string | undefined> {
  try {
    const asked = await runProgram(kubectl, ['version', '--client', '-o', 'json'], { timeoutMs: 20_000 });
    if (asked.code === 0 && asked.stdout.includes(`"${version}"`)) return undefined;
    return `\`kubectl version --client\` gave ${asked.code}, ${(asked.stderr || asked.stdout).slice(0, 300).trim()}`;
  } catch (error) {
    return `\`kubectl version --client\` did not run: ${String(error)}`;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The only file that is built; the six names are links to it. */
const programFile = 'control-plane';
const manifestFile = 'manifest.json';

/** Seconds that a cold build with its downloads takes on two cores. */
const coldBuildSeconds = 420;

/** Written last: a folder with a manifest was once complete. */
interface BuildManifest {
  readonly kubernetes: string;
  readonly go: string;
  readonly size: number;
  readonly modifiedMs: number;
  readonly sha256: string;
  readonly buildSeconds: number;
}

/** The cache for builds, outside the work tree, so that checkouts share it and `git clean` keeps it. */
export function cacheRoot(): string {
  const base = process.env['XDG_CACHE_HOME'];
  return join(
    base !== undefined && base !== '' ? base : join(homedir(), '.cache'),
    'gpu-partition-operator/control-plane',
  );
}

async function writeManifest(
  folder: string,
  about: Pick<BuildManifest, 'kubernetes' | 'go' | 'buildSeconds'>,
): Promise<void> {
  const program = join(folder, programFile);
  const { size, mtimeMs } = await stat(program);
  const manifest: BuildManifest = { ...about, size, modifiedMs: Math.round(mtimeMs), sha256: await hashFile(program) };
  await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * What is wrong with a cache folder, as text; undefined if nothing is. The hash costs half a second: it is computed only
 * if the file's time differs from the manifest.
 */
async function findFault(folder: string): Promise<string | undefined> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) return 'it has no readable manifest';
  const missing = await missingPrograms(folder, [programFile, ...allPrograms]);
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  const program = join(folder, programFile);
  const { size, mtimeMs } = await stat(program);
  if (size !== manifest.size) return `${programFile} has ${size} bytes and should have ${manifest.size}`;
  const untouched = Math.round(mtimeMs) === manifest.modifiedMs;
  if (!untouched && (await hashFile(program)) !== manifest.sha256)
    return `${programFile} has another hash than when built`;
  return probeKubectl(join(folder, 'kubectl'), manifest.kubernetes);
}

/** Seconds that the longest build took here; before the first build, those of a cold build. */
async function expectBuildSeconds(root: string): Promise<number> {
  const names = await readdir(root).catch(() => []);
  const manifests = await Promise.all(names.map((name) => readManifest(join(root, name))));
  const measured = manifests.flatMap((manifest) => (manifest === undefined ? [] : [manifest.buildSeconds]));
  return measured.length === 0 ? coldBuildSeconds : Math.max(...measured);
}

async function readManifest(folder: string): Promise<BuildManifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, manifestFile), 'utf8')) as BuildManifest;
  } catch {
    return undefined;
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The Go module that wraps Kubernetes' own programs; only its go.mod names their version. */
interface GoModule {
  readonly folder: string;
  /** `v1.36.3`, as go.mod requires k8s.io/kubernetes. */
  readonly kubernetes: string;
  /** `1.26.0`, the `go` line of go.mod. */
  readonly goRequired: string;
  /** Hash of everything that determines the build, except the Go version. */
  readonly hash: string;
}

const folder = fileURLToPath(new URL('../../../test/control-plane/', import.meta.url));

const sources = ['go.mod', 'go.sum', 'main.go'] as const;

/** @throws ControlPlaneError `BuildFailed` if the folder is not such a module. */
async function readGoModule(): Promise<GoModule> {
  const texts = await Promise.all(sources.map((name) => readFile(join(folder, name), 'utf8'))).catch(
    (cause: unknown) => {
      throw new ControlPlaneError('BuildFailed', `${folder} is not the control plane's Go module: ${String(cause)}`, {
        cause,
      });
    },
  );
  const goMod = texts[0] ?? '';
  const kubernetes = /^\s*(?:require\s+)?k8s\.io\/kubernetes\s+(v\d+\.\d+\.\d+\S*)/m.exec(goMod)?.[1];
  const goRequired = /^go\s+(\d+\.\d+\S*)/m.exec(goMod)?.[1];
  if (kubernetes === undefined || goRequired === undefined) {
    throw new ControlPlaneError('BuildFailed', `${join(folder, 'go.mod')} names no k8s.io/kubernetes or no go version`);
  }
  const hash = createHash('sha256').update(JSON.stringify([...texts, buildArguments(kubernetes)]));
  return { folder, kubernetes, goRequired, hash: hash.digest('hex').slice(0, 16) };
}

/**
 * Arguments of `go`, without the output. Each flag is given here because GOFLAGS (from the environment or `go env -w`)
 * may differ, and the command line wins: `-mod=mod` there would rewrite go.sum. Without the version stamp
 * `kubectl version` and `/version` report v0.0.0-master and feature gates can misbehave.
 */
function buildArguments(kubernetes: string): readonly string[] {
  const [major = '', minor = ''] = kubernetes.slice(1).split('.');
  const stamp = { gitVersion: kubernetes, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const stamps = Object.entries(stamp).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', ['-s', '-w', ...stamps].join(' ')];
}

/** `version` is in Go's form, `go1.26.8`; `platform` as in `linux-amd64`. */
interface GoToolchain {
  readonly version: string;
  readonly platform: string;
}

/**
 * Runs Go in the module's folder, where it selects (and if necessary downloads) the toolchain that go.mod requires.
 * Undefined if Go is not installed.
 *
 * @throws ControlPlaneError `GoTooOld`, or `BuildFailed` if Go is installed but does not answer.
 */
async function findGo(module: GoModule): Promise<GoToolchain | undefined> {
  const asked = await runProgram('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    cwd: module.folder,
    env: goEnvironment(),
  }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw new ControlPlaneError('BuildFailed', `\`go\` cannot be run: ${messageOf(error)}`, { cause: error });
  });
  if (asked === undefined) return undefined;
  const [version = '', os = '', architecture = ''] = asked.stdout.trim().split('\n');
  const numbers = /\d+(\.\d+)*/.exec(version)?.[0] ?? '';
  if (isOlder(numbers, module.goRequired) || /requires go >=/.test(asked.stderr)) {
    const found = /running (go \S+?)[;)]/.exec(asked.stderr)?.[1] ?? version;
    throw new ControlPlaneError(
      'GoTooOld',
      `The control plane (Kubernetes ${module.kubernetes}) needs Go ${module.goRequired} or newer and this is ${found}: ${waysOut(module)}.`,
    );
  }
  if (asked.code !== 0 || architecture === '') {
    throw new ControlPlaneError('BuildFailed', `\`go env\` failed in ${module.folder}: ${asked.stderr.trim()}`);
  }
  return { version, platform: `${os}-${architecture}` };
}

function goMissing(module: GoModule): ControlPlaneError {
  return new ControlPlaneError(
    'GoMissing',
    `There is no Go here to build the control plane (Kubernetes ${module.kubernetes}) with, and KUBEBUILDER_ASSETS is not set: ${waysOut(module)}.`,
  );
}

function waysOut(module: GoModule): string {
  const [major = '1', minor = '0'] = module.goRequired.split('.');
  return (
    `install Go ${major}.${minor} or newer (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder with etcd, ` +
    `kube-apiserver and kubectl, for example \`export KUBEBUILDER_ASSETS=$(setup-envtest use -p path)\``
  );
}

/** The build must not depend on a workspace around the checkout or on a C compiler. */
export function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' };
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * Builds into a folder beside the target and renames it into place, so that a cache folder is complete or absent.
 *
 * @throws ControlPlaneError `BuildFailed` with the end of Go's output; `BuildUnusable` if the program does not answer.
 */
async function buildControlPlane(module: GoModule, go: GoToolchain, target: string): Promise<void> {
  await mkdir(join(target, '..'), { recursive: true });
  const folder = await mkdtemp(`${target}.building-`);
  const guard = startGuard(folder);
  try {
    const startedAt = Date.now();
    const scratch = join(folder, 'scratch');
    await mkdir(scratch);
    await runGo(module, join(folder, programFile), scratch, (pid) => guard.watch(-pid));
    await rm(scratch, { recursive: true, force: true });
    for (const name of allPrograms) await symlink(programFile, join(folder, name));
    const buildSeconds = Math.round((Date.now() - startedAt) / 1000);
    await writeManifest(folder, { kubernetes: module.kubernetes, go: go.version, buildSeconds });
    const fault = await findFault(folder);
    if (fault !== undefined) {
      throw new ControlPlaneError('BuildUnusable', `Go built the control plane and it is of no use: ${fault}.`);
    }
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    guard.release();
  }
}

/** @param scratch for Go's temporary files: if Go is killed it leaves them behind, but the guard removes them */
async function runGo(module: GoModule, output: string, scratch: string, onStart: (pid: number) => void): Promise<void> {
  const args = [...buildArguments(module.kubernetes), '-o', output, '.'];
  const env = { ...goEnvironment(), GOTMPDIR: scratch };
  const built = await runProgram('go', args, { cwd: module.folder, env, onStart, ownGroup: true }).catch(
    (cause: unknown) => {
      throw new ControlPlaneError('BuildFailed', `\`go build\` did not start: ${messageOf(cause)}`, { cause });
    },
  );
  if (built.code === 0) return;
  throw new ControlPlaneError(
    'BuildFailed',
    `\`go build\` of the control plane in ${module.folder} ended with ${built.code} (it needs the module proxy, ` +
      `5 GB of disk and 3 GB of memory):\n${built.stderr.trim().slice(-2000)}`,
  );
}

/**
 * Kubernetes' own programs: from `KUBEBUILDER_ASSETS` if that is set, else from the cache, which builds them first
 * if they are missing or broken.
 *
 * @throws ControlPlaneError that says in one sentence what is missing and how to get it.
 */
export async function findControlPlane({ onProgress }: { readonly onProgress?: OnProgress } = {}): Promise<Binaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && assets !== '') return findAssets(assets);
  const module = await readGoModule();
  const root = cacheRoot();
  const go = await findGo(module);
  if (go === undefined) return findBuilt(module, root);
  const folder = join(root, folderName(module, go));
  if ((await findFault(folder)) !== undefined) await buildOnce(module, go, folder, onProgress);
  return binariesIn(folder);
}

function folderName(module: GoModule, go: GoToolchain): string {
  return `${module.kubernetes}-${module.hash}-${go.version}-${go.platform}`;
}

/** Concurrent callers, in this process or another, wait for the first and use its build. */
async function buildOnce(
  module: GoModule,
  go: GoToolchain,
  folder: string,
  onProgress: OnProgress | undefined,
): Promise<void> {
  const root = join(folder, '..');
  await mkdir(root, { recursive: true });
  const expectedSeconds = await expectBuildSeconds(root);
  let waiting: Disposable | undefined;
  await using _lock = await takeLock(`${folder}.lock`, (startedAt) => {
    waiting ??= reportProgress(onProgress, 'waiting', startedAt, expectedSeconds);
  });
  waiting?.[Symbol.dispose]();
  if ((await findFault(folder)) === undefined) return;
  using _building = reportProgress(onProgress, 'building', Date.now(), expectedSeconds);
  await buildControlPlane(module, go, folder);
}

/** A machine without Go can still have a cache (a CI runner that restored it): a build by any Go version will do. */
async function findBuilt(module: GoModule, root: string): Promise<Binaries> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const isOurs = name.startsWith(`${module.kubernetes}-${module.hash}-`) && !name.includes('.building-');
    const folder = join(root, name);
    if (isOurs && (await findFault(folder)) === undefined) return binariesIn(folder);
  }
  throw goMissing(module);
}
