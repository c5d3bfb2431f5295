import { expect } from 'chai';
import { stringify } from 'yaml';

import { repartitioningTaint, uninitializedTaint } from '../../src/api/names.ts';
import type { Validation } from '../../src/cli/validation.ts';
import { jsonRunner } from '../cli/run.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { policiesOf, readSampleObjects } from './sample-files.ts';
import { nodesOf } from './sample-node.ts';
import { canRunOn, gpuLimitsOf, workloadsOf } from './sample-workload.ts';

const runJson = jsonRunner<Validation>();

async function readWorkloads(): Promise<ReturnType<typeof workloadsOf>> {
  const workloads = workloadsOf(await readSampleObjects());
  expect(workloads.length).to.be.above(5);
  return workloads;
}

describe('samples @all', () => {
  it('have nothing that the command validate finds fault with', async () => {
    const { code, answer } = await runJson(['validate', '-f', 'samples']);
    expect(answer.findings).to.deep.equal([]);
    expect(answer.objects.policies).to.be.above(6);
    expect(code).to.equal(0);
  });

  it('ask for slices, by resource and by label, on nodes that a sample policy makes', async () => {
    const nodes = policiesOf(await readSampleObjects()).flatMap(nodesOf);
    const workloads = await readWorkloads();
    const homeless = workloads.filter(({ pod }) => !nodes.some((node) => canRunOn(pod, node)));
    expect(homeless.map(({ title }) => title)).to.deep.equal([]);
  });

  it('ask for exactly one slice a pod: a CUDA process uses one', async () => {
    for (const { title, pod } of await readWorkloads()) {
      expect(Object.values(gpuLimitsOf(pod)), title).to.deep.equal([1]);
    }
  });

  it('tolerate no taint of ours, which would lead pods onto GPUs that are being changed', async () => {
    for (const { title, pod } of await readWorkloads()) {
      const keys = (pod.tolerations ?? []).map(({ key }) => key);
      // A toleration without a key is for every taint.
      for (const key of [undefined, repartitioningTaint.key, uninitializedTaint.key]) {
        expect(keys, title).to.not.include(key);
      }
    }
  });
});

describe('samples on the real API server @all', () => {
  const cluster = useSharedCluster();

  it('are accepted, every object of every file', async () => {
    const objects = (await readSampleObjects()).map(({ value }) => stringify(value));
    expect(objects.length).to.be.above(20);
    const { code, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '-f', '-'], {
      input: objects.join('---\n'),
    });
    expect(code, stderr).to.equal(0);
  });

  it('are accepted as the folder of Triton', async () => {
    const { code, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '-k', 'samples/workloads/triton']);
    expect(code, stderr).to.equal(0);
  });
});
