import { tellOnRequest } from '../model/tellers.ts';
import { tellFleetSeed } from './fleet-tell.ts';

tellOnRequest(tellFleetSeed);
