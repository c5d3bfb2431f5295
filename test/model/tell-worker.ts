import { tellSeed } from './tell.ts';
import { tellOnRequest } from './tellers.ts';

tellOnRequest(tellSeed);
