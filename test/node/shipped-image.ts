import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { projectRoot } from '../../src/simulator/rig/process.ts';
import type { NodeImage } from './image-archive.ts';

/**
 * The image that `make image-docker` builds, without docker: what the last stage of the Dockerfile copies and sets, on a base of Debian's
 * packages. A line of another kind is an error, so that the Dockerfile cannot come to say what is not tried.
 */
export async function describeShippedImage(name: string, base: string, folder: string): Promise<NodeImage> {
  const text = await readFile(join(projectRoot, 'Dockerfile'), 'utf8');
  const stage = text.slice(text.lastIndexOf('\nFROM ')).replaceAll('\\\n', ' ');
  const environment: string[] = [];
  const config: { User?: string; WorkingDir?: string } = {};
  for (const line of stage.split('\n').filter((one) => /^[A-Z]/.test(one))) {
    const [instruction = '', ...words] = line.split(/\s+/);
    if (instruction === 'COPY' && words[0] !== '--from=base')
      await copyTo(join(folder, words.at(-1) ?? ''), words.slice(0, -1));
    else if (instruction === 'ENV') environment.push(...words);
    else if (instruction === 'WORKDIR') config.WorkingDir = words[0] ?? '';
    else if (instruction === 'USER') config.User = words[0] ?? '';
    else if (!['FROM', 'ARG', 'LABEL', 'COPY'].includes(instruction))
      throw new Error(`Dockerfile: what does ${line} do?`);
  }
  return { name, config: { ...config, Env: environment }, layers: [base, folder] };
}

async function copyTo(folder: string, files: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of files) await copyFile(join(projectRoot, file), join(folder, basename(file)));
}
