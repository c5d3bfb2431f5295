import { expect } from 'chai';
import {
  advertisesSlice,
  aManagedPartition,
  aNode,
  aPluginPod,
  judge,
  slicedGpu,
  wholeGpu,
} from '../../../support/node-builders.ts';

describe('an agent of another version', () => {
  it('is told which of both images is to be updated', () => {
    const messageOf = (agentVersion: string) => judge(changing(agentVersion), found).verdict.message;
    expect(messageOf('0.1.0')).to.match(/the image of the agents’ DaemonSet$/);
    expect(messageOf('0.9.0')).to.match(/the image of the controller’s Deployment$/);
  });

  const settings = { version: '0.3.0' };
  const found = { pods: [aPluginPod()] };
  const changing = (agentVersion: string) => ({
    settings,
    partition: aManagedPartition({ device: { ...wholeGpu, agentVersion } }),
  });

  it('is granted changes when it is one minor version older or newer', () => {
    for (const version of ['0.2.5', '0.3.0', '0.4.0']) {
      expect(judge(changing(version), found).verdict.reason, version).to.equal('AwaitingGrant');
    }
  });

  it('is granted nothing when it is older or newer than that, and both versions are named', () => {
    const old = judge(changing('0.1.0'), found);
    expect(old.verdict).to.include({ phase: 'Failed', reason: 'AgentTooOld' });
    expect(old.verdict.message).to.include('0.1.0').and.include('0.3.0').and.include('DaemonSet');
    expect(old.commands).to.deep.equal([]);
    expect(judge(changing('0.5.0'), found).verdict).to.include({ phase: 'Failed', reason: 'AgentTooNew' });
  });

  it('leaves a node Ready that is as its policy says', () => {
    const partition = aManagedPartition({ device: { ...slicedGpu, agentVersion: '0.1.0' } });
    const done = judge({ settings, partition, node: aNode({ allocatable: advertisesSlice }) }, found);
    expect(done.verdict.reason).to.not.include('AgentToo');
  });
});

describe('the versions of controller and agent', () => {
  const skews = (...pairs: readonly (readonly [string | undefined, string])[]): string =>
    pairs
      .map(([theirs, version]) => {
        const device = { ...wholeGpu, ...(theirs !== undefined && { agentVersion: theirs }) };
        const parts = { settings: { version }, partition: aManagedPartition({ device }) };
        return judge(parts, { pods: [aPluginPod()] }).verdict.reason.replace('AwaitingGrant', 'Fine');
      })
      .join(' ');

  it('may be one minor version apart, either way', () => {
    expect(skews(['0.2.0', '0.2.9'], ['0.1.7', '0.2.0'], ['0.3.0', '0.2.0'], ['v1.4.0', '1.5.2'])).to.equal(
      'Fine Fine Fine Fine',
    );
  });

  it('may not be further apart, nor of two major versions', () => {
    expect(skews(['0.1.0', '0.3.0'], ['0.9.0', '1.0.0'])).to.equal('AgentTooOld AgentTooOld');
    expect(skews(['0.4.0', '0.2.0'], ['2.0.0', '1.9.0'])).to.equal('AgentTooNew AgentTooNew');
  });

  it('are not compared if one is not a release', () => {
    expect(skews([undefined, '0.3.0'], ['test', '0.3.0'], ['0.1.0', 'unknown'])).to.equal('Fine Fine Fine');
  });
});
