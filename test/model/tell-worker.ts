import { parentPort } from 'node:worker_threads';
import { type SeedRange, tellSeeds } from './tell.ts';

parentPort?.on('message', (range: SeedRange) => parentPort?.postMessage(tellSeeds(range), []));
