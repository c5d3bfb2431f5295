import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { holdsGpusAnnotation } from '../../../src/simulator/kubelet/machine.ts';
import { eventually } from '../../support/eventually.ts';
import { a100 } from '../../support/gpu-nodes.ts';
import { operatorDaemonSet } from '../../support/nvidia-daemons.ts';
import { useDaemonBench } from './daemon-bench.ts';

describe('a pod that keeps the GPUs open', () => {
  const bench = useDaemonBench();

  it('has a handle on each GPU of its node from its start until its containers have ended', async () => {
    const { nodes } = bench();
    const { name, stateFile } = await nodes.boot('', {
      plugin: 'pod',
      gpus: [a100, a100],
      labels: { 'nvidia.com/gpu.deploy.dcgm': 'true' },
    });
    const annotations = { [holdsGpusAnnotation]: 'true' };
    await bench().deploy(operatorDaemonSet.bind(undefined, 'dcgm'), name, { annotations });
    const { metadata } = await bench().waitForReady(name);
    const handles = (): readonly string[] =>
      readFileSync(stateFile, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('handle '));
    const pod = `${nodes.namespace}/${metadata.name}`;
    expect(handles()).to.deep.equal([`handle gpu 0 name ${pod}`, `handle gpu 1 name ${pod}`]);

    await bench().label(name, { 'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change' });
    await eventually(handles, (lines) => lines.length === 0, { what: 'handles' });
  });
});
