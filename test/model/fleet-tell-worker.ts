import { tellOnRequest } from './tellers.ts';
import { tellFleetSeed } from './fleet-tell.ts';

tellOnRequest(tellFleetSeed);
