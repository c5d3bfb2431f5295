import { readFileSync } from 'node:fs';

declare const GPU_PARTITION_PAGE: string | undefined;

/** The page: embedded by the bundler, or read from disk if the programs run from source. */
export const pageText: string =
  typeof GPU_PARTITION_PAGE === 'string'
    ? GPU_PARTITION_PAGE
    : readFileSync(new URL('page.html', import.meta.url), 'utf8');
