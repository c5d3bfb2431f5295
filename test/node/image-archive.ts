import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { runProgram } from '../../src/simulator/control-plane/run.ts';

/** The run configuration of an image, by the names of the OCI image specification. */
export interface ImageConfig {
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly Cmd?: readonly string[];
  readonly Env: readonly string[];
}

export interface NodeImage {
  /** `docker.io/library/gpu-partition-operator:dev` */
  readonly name: string;
  readonly config: ImageConfig;
  /** Folders, each the content of a layer; one that several images have is stored once. */
  readonly layers: readonly string[];
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Writes images as an OCI archive, which `ctr images import` takes: there is no registry. @returns its file */
export async function writeImageArchive(images: readonly NodeImage[], folder: string): Promise<string> {
  const blobs = join(folder, 'blobs', 'sha256');
  await mkdir(blobs, { recursive: true });
  const put = async (mediaType: string, value: object): Promise<Blob> => {
    const text = JSON.stringify(value);
    const hash = createHash('sha256').update(text).digest('hex');
    await writeFile(join(blobs, hash), text);
    return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(text) };
  };
  const layers = new Map<string, Blob>();
  for (const content of new Set(images.flatMap((image) => image.layers)))
    layers.set(content, await putLayer(content, blobs));
  const manifests: object[] = [];
  for (const { name, config, layers: contents } of images) {
    const own = contents.flatMap((content) => layers.get(content) ?? []);
    const about = await put('application/vnd.oci.image.config.v1+json', {
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config,
      rootfs: { type: 'layers', diff_ids: own.map(({ digest }) => digest) },
    });
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const manifest = await put(mediaType, { schemaVersion: 2, mediaType, config: about, layers: own });
    manifests.push({ ...manifest, annotations: { 'io.containerd.image.name': name } });
  }
  await writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const archive = join(folder, 'images.tar');
  await packFolder(folder, archive, ['oci-layout', 'index.json', 'blobs']);
  await rm(join(folder, 'blobs'), { recursive: true });
  return archive;
}

async function putLayer(content: string, blobs: string): Promise<Blob> {
  const file = join(blobs, 'layer');
  await packFolder(content, file, ['.']);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  const digest = hash.digest('hex');
  const { size } = await stat(file);
  await rename(file, join(blobs, digest));
  return { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: `sha256:${digest}`, size };
}

async function packFolder(folder: string, file: string, what: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram('tar', [
    '--numeric-owner',
    '--owner=0',
    '--group=0',
    '-C',
    folder,
    '-cf',
    file,
    ...what,
  ]);
  if (code !== 0) throw new Error(`tar of ${folder} failed: ${stderr}`);
}
