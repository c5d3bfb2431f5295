export { Random } from '../../src/core/plan/simulation/trace.ts';
