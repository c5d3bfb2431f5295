// Archives that have the same bytes whenever and wherever they are written: in the order of their names, of one owner and time.
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {Buffer | string} [bytes] of a file
 * @property {number} [mode]
 * @property {'file' | 'directory' | 'symlink'} [type]
 * @property {string} [linkname]
 */

/** @param {readonly Entry[]} entries with folders before what is in them @returns {Promise<Buffer>} */
export async function writeArchive(entries) {
  const archive = pack();
  const bytes = buffer(archive);
  for (const { name, bytes: content = '', mode, type = 'file', linkname } of entries) {
    const usual = type === 'file' ? 0o644 : type === 'directory' ? 0o755 : 0o777;
    const owner = { uid: 0, gid: 0, mtime: new Date(0) };
    archive.entry(
      { name, type, mode: mode ?? usual, ...owner, ...(linkname && { linkname }) },
      type === 'file' ? content : '',
    );
  }
  archive.finalize();
  return bytes;
}

/** @param {Buffer} bytes */
export function compress(bytes) {
  return gzipSync(bytes, { level: 6 });
}

/** @param {Buffer} bytes of an archive that is not compressed @returns {Promise<(Entry & { bytes: Buffer })[]>} */
export async function readArchive(bytes) {
  const entries = [];
  const archive = extract();
  archive.end(bytes);
  for await (const entry of archive) {
    const { name, mode, type, linkname } = entry.header;
    entries.push({ name, mode, type, linkname: linkname ?? undefined, bytes: await buffer(entry) });
  }
  return entries;
}
