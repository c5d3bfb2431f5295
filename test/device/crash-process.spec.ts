import { expect } from 'chai';
import { listPoints, observeCourse, runCrash, type CrashPoint } from './crash-case.ts';
import { crashTransitions } from './crash-transition.ts';

/** One point of each kind of side effect; `node test/bench/crash-matrix.ts` goes through all of all transitions. */
const points: Readonly<Record<string, CrashPoint>> = {
  // Between a GPU instance and the compute instance that the same command makes on it.
  grow: { effect: 2, moment: 'Before', reboots: false },
  // Ids of destroyed instances are free again at once: the orphan must not hit what the second run made.
  're-shape': { effect: 3, moment: 'Orphaned', reboots: false },
  split: { effect: 1, moment: 'After', reboots: false },
  enable: { effect: 2, moment: 'After', reboots: true },
  disable: { effect: 7, moment: 'Before', reboots: false },
};

describe('a process that is killed in the middle of an apply @all', function () {
  this.slow(10_000);

  for (const transition of crashTransitions) {
    const point = points[transition.name];
    if (point === undefined) continue;
    const where = `${point.moment.toLowerCase()} side effect ${point.effect}`;
    it(`converges when it is run again: "${transition.name}", ${where}${point.reboots ? ', then a reboot' : ''}`, async () => {
      const course = await observeCourse(transition);
      expect(listPoints(course)).to.deep.include(point);
      const { converged, redundant = 0, violations } = await runCrash(course, point);
      expect(violations).to.deep.equal([]);
      expect(converged).to.equal(true);
      expect(redundant).to.be.at.most(1);
    });
  }
});
