import { expect } from 'chai';
import { Fleet } from '../../../src/core/policy/fleet.ts';
import { findBrokenRules } from '../../../src/core/policy/schema.ts';
import { aPolicy } from '../../support/builders.ts';

describe('the costliest policies that the API takes', () => {
  const globs = Array.from({ length: 32 }, (_, index) => `A*1*0*0*-*${index % 10}*G?`);
  const layouts = Array.from({ length: 8 }, (_, index) => ({
    gpus: { models: globs },
    profiles: { '1g.5gb': 1 + (index % 7) },
  }));

  it('do not keep a leader from its lease: 200 of them take less than that of 15 s lasts @all', () => {
    const fleet = new Fleet({ sharing: false });
    const before = process.threadCpuUsage();
    for (let index = 0; index < 200; index += 1) fleet.setPolicy(aPolicy({ name: `p-${index}`, layouts }));
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).to.be.below(8000);
  });

  it('are not larger than a sum over all layouts', () => {
    expect(findBrokenRules(aPolicy({ layouts }))).to.deep.equal([]);
    const more = findBrokenRules(aPolicy({ layouts: [...layouts, ...layouts] }));
    expect(more.map(({ message }) => message)).to.deep.equal(['at most 256 models selectors in all layouts together']);
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h' };
    const scheduled = findBrokenRules(aPolicy({ schedules: [{ ...night, layouts: [...layouts, ...layouts] }] }));
    expect(scheduled.map(({ message }) => message)).to.deep.equal([
      'at most 256 models selectors in all layouts of the schedules together',
    ]);
    const profiles = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`1g.${index + 1}gb`, 1]));
    const many = Array.from({ length: 17 }, (_, index) => ({ gpus: { indices: [index] }, profiles }));
    const crowded = findBrokenRules(aPolicy({ layouts: many, schedules: [{ ...night, layouts: many }] }));
    expect(crowded.map(({ message }) => message)).to.include.members([
      'at most 256 profiles in all layouts together',
      'at most 256 profiles in all layouts of the schedules together',
    ]);
  });
});
