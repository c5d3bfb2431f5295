import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheRoot } from '../../src/simulator/control-plane/build.ts';
import { takeLock, runProgram } from '../../src/simulator/control-plane/run.ts';

/** What runs pods. */
const tools = ['containerd', 'runc', 'libseccomp2', 'containernetworking-plugins', 'busybox-static'];
/** What the image's base has of what we use: node's libraries, a shell, and coreutils' chroot with its libraries. */
const base = ['libc6', 'libgcc-s1', 'libstdc++6', 'dash', 'coreutils', 'libacl1', 'libattr1', 'libgmp10'];
const baseToo = ['libselinux1', 'libpcre2-8-0'];

export interface NodePackages {
  readonly tools: string;
  /** Root of a file system with node, as the image and the driver's container have one. */
  readonly base: string;
}

/** The packages cannot be had: no Debian, no network. */
export class PackagesMissing extends Error {
  override readonly name = 'PackagesMissing';
}

/**
 * Debian's packages, unpacked in the cache and not installed.
 *
 * @throws PackagesMissing
 */
export async function findPackages(): Promise<NodePackages> {
  const wanted = JSON.stringify([tools, base, baseToo, process.version]);
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  const root = join(cacheRoot(), '..', 'real-node');
  const folder = join(root, `packages-${hash}-${process.arch}`);
  const found = { tools: join(folder, 'tools'), base: join(folder, 'base') };
  await mkdir(root, { recursive: true });
  await using _lock = await takeLock(`${folder}.lock`);
  if (await isThere(folder)) return found;
  const fresh = await mkdtemp(`${folder}.new-`);
  try {
    await unpack(tools, join(fresh, 'tools'));
    await unpack([...base, ...baseToo], join(fresh, 'base'));
    await completeBase(join(fresh, 'base'));
    await rename(fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return found;
}

async function unpack(names: readonly string[], folder: string): Promise<void> {
  const downloads = `${folder}.download`;
  await mkdir(downloads);
  await download(names, downloads);
  for (const name of await readdir(downloads)) {
    if (name.endsWith('.deb')) await run('dpkg', ['-x', join(downloads, name), folder], downloads);
  }
  await rm(downloads, { recursive: true });
}

/** With the machine's lists of packages, or, where it has none (images leave them out) or old ones, with fresh ones of our own. */
async function download(names: readonly string[], folder: string): Promise<void> {
  // As root apt would hand the download to a user of its own, who cannot write here.
  const usual = ['-qq', '-o', 'APT::Sandbox::User=root'];
  try {
    await run('apt-get', [...usual, 'download', ...names], folder);
  } catch (error) {
    if (!(error instanceof PackagesMissing)) throw error;
    const own = [
      ...usual,
      '-o',
      `Dir::State::Lists=${join(folder, 'lists')}`,
      '-o',
      'Dir::Cache::pkgcache=',
      '-o',
      'Dir::Cache::srcpkgcache=',
    ];
    await mkdir(join(folder, 'lists'));
    await run('apt-get', [...own, 'update'], folder);
    await run('apt-get', [...own, 'download', ...names], folder);
  }
}

async function completeBase(folder: string): Promise<void> {
  await rm(join(folder, 'usr', 'share'), { recursive: true, force: true });
  if (!(await isThere(join(folder, 'bin', 'sh')))) await symlink('dash', join(folder, 'bin', 'sh'));
  await mkdir(join(folder, 'usr', 'local', 'bin'), { recursive: true });
  await copyFile(process.execPath, join(folder, 'usr', 'local', 'bin', 'node'));
  for (const name of ['dev', 'proc', 'sys', 'run', 'tmp']) await mkdir(join(folder, name), { recursive: true });
}

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const what = `\`${program} ${args.join(' ')}\``;
  const { code, stderr } = await runProgram(program, args, { cwd }).catch((cause: unknown) => {
    throw new PackagesMissing(`${what} did not start: ${String(cause)}`, { cause });
  });
  if (code !== 0) throw new PackagesMissing(`${what} ended with ${code}: ${stderr.trim().slice(-300)}`);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
