// The licences of all packages that the bundles contain a part of: most may only be redistributed with their own text.
import { readFile, readdir, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);

/** @param inputs files that the bundler read, relative to the checkout */
export async function writeNotices(inputs, target) {
  const folders = new Set(inputs.flatMap((file) => packageFolderOf(file) ?? []));
  const notices = await Promise.all([...folders].map(readNotice));
  await writeFile(target, [...new Set(notices)].sort().join(`\n${'-'.repeat(80)}\n\n`));
}

function packageFolderOf(file) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

async function readNotice(folder) {
  const place = new URL(`${folder}/`, root);
  const { name, version, license } = JSON.parse(await readFile(new URL('package.json', place), 'utf8'));
  const files = (await readdir(place)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, place), 'utf8')));
  return (
    [`${name} ${version} (${license})`, ...texts.map((text) => text.trim().replaceAll('\r\n', '\n'))].join('\n\n') +
    '\n'
  );
}
