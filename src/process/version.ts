import { readFileSync } from 'node:fs';

declare const GPU_PARTITION_VERSION: string | undefined;

/** Version of the programs: inserted by the bundler, or read from package.json when run from source. */
export const programVersion: string =
  typeof GPU_PARTITION_VERSION === 'string' ? GPU_PARTITION_VERSION : readPackageVersion();

function readPackageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
