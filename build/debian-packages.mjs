// Debian's packages for the image, at the versions and hashes of debian-packages.json, unpacked and not installed. Of any architecture,
// with apt and dpkg-deb of a machine that has Debian 12's sources; DEBIAN_SOURCES names a file or folder with others.
// Run by itself it pins what apt has now.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readArchive } from './archives.mjs';
import { downloads } from './node-binaries.mjs';

const run = promisify(execFile);
const pinFile = new URL('debian-packages.json', import.meta.url);
const pins = JSON.parse(await readFile(pinFile, 'utf8'));

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} control what dpkg would note of it when it installs it
 * @property {import('./archives.mjs').Entry[]} files
 */

/** @returns {Promise<Package[]>} */
export async function readPackages(architecture) {
  const wanted = Object.entries(pins[architecture]);
  const missing = [];
  for (const [name, pin] of wanted)
    if (!(await isRight(architecture, name, pin))) missing.push(`${name}=${pin.version}`);
  if (missing.length > 0) await fetchPackages(architecture, missing);
  return Promise.all(
    wanted.map(async ([name, pin]) => {
      if (!(await isRight(architecture, name, pin))) {
        throw new Error(`${name} ${pin.version} for ${architecture} is not the package that debian-packages.json pins`);
      }
      const file = pathOf(architecture, name, pin);
      const options = { encoding: 'buffer', maxBuffer: 1 << 28 };
      const control = (await run('dpkg-deb', ['--field', file])).stdout;
      const { stdout } = await run('dpkg-deb', ['--fsys-tarfile', file], options);
      return { name, control, files: await readArchive(stdout) };
    }),
  );
}

function pathOf(architecture, name, { sha256 }) {
  return join(downloads, `${name}_${architecture}_${sha256}.deb`);
}

async function isRight(architecture, name, pin) {
  const bytes = await readFile(pathOf(architecture, name, pin)).catch(() => '');
  return createHash('sha256').update(bytes).digest('hex') === pin.sha256;
}

/** Downloads packages into the cache, each under its name and hash. @returns the hash of each by its name */
async function fetchPackages(architecture, specifiers) {
  await mkdir(downloads, { recursive: true });
  const scratch = await mkdtemp(join(downloads, 'new-'));
  try {
    await mkdir(join(scratch, 'lists'));
    await writeFile(join(scratch, 'status'), '');
    const sources = process.env.DEBIAN_SOURCES;
    const settings = {
      // As root apt would hand the download to a user of its own, who cannot write here.
      'APT::Sandbox::User': 'root',
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'Dir::State::Lists': join(scratch, 'lists'),
      'Dir::State::status': join(scratch, 'status'),
      'Dir::Cache::pkgcache': '',
      'Dir::Cache::srcpkgcache': '',
      ...(sources && { 'Dir::Etc::sourcelist': '/dev/null', 'Dir::Etc::sourceparts': sources }),
    };
    const options = ['-qq', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
    await run('apt-get', [...options, 'update'], { cwd: scratch });
    await run('apt-get', [...options, 'download', ...specifiers], { cwd: scratch }).catch(({ stderr }) => {
      throw new Error(
        `apt has not what debian-packages.json pins: run build/debian-packages.mjs on Debian 12\n${stderr}`,
      );
    });
    const fetched = {};
    for (const file of (await readdir(scratch)).filter((name) => name.endsWith('.deb'))) {
      const sha256 = createHash('sha256')
        .update(await readFile(join(scratch, file)))
        .digest('hex');
      const { stdout } = await run('dpkg-deb', [
        '--show',
        '--showformat',
        '${Package} ${Version}',
        join(scratch, file),
      ]);
      const [name, version] = stdout.split(' ');
      await rename(join(scratch, file), pathOf(architecture, name, { sha256 }));
      fetched[name] = { version, sha256 };
    }
    return fetched;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

if (process.argv[1] === pinFile.pathname.replace(/json$/, 'mjs')) {
  const fresh = {};
  for (const [architecture, known] of Object.entries(pins)) {
    const fetched = await fetchPackages(architecture, Object.keys(known));
    fresh[architecture] = Object.fromEntries(Object.keys(known).map((name) => [name, fetched[name]]));
  }
  await writeFile(pinFile, `${JSON.stringify(fresh, undefined, 2)}\n`);
}
