export { Random } from '../../src/core/simulation/random.ts';
