import { parentPort } from 'node:worker_threads';
import { tellFleetSeeds } from './fleet-tell.ts';

type Seeds = Parameters<typeof tellFleetSeeds>[0];

parentPort?.on('message', (range: Seeds) => parentPort?.postMessage(tellFleetSeeds(range), []));
