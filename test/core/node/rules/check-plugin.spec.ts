import { expect } from 'chai';
import { aNode, aPluginPod, judge, namesOf } from '../../../support/node-builders.ts';

describe('a node whose device plugin would not offer the new layout', () => {
  it('is not closed where nothing offers its GPUs: that is said first', () => {
    const { verdict, commands } = judge({ node: aNode({ allocatable: {} }) }, { pods: [] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'NoDevicePlugin' });
    expect(commands).to.deep.equal([]);
  });

  it('is not closed where the plugin has another strategy', () => {
    const { verdict, commands } = judge({}, { pods: [aPluginPod({ strategy: 'single' })] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(verdict.message).to.include('pod gpu/plugin').and.include('Nothing is touched');
    expect(commands).to.deep.equal([]);
  });

  it('is closed where it would', () => {
    expect(namesOf(judge({}, { pods: [aPluginPod()] }))).to.deep.equal(['PatchNode']);
  });
});
