import { expect } from 'chai';

import { assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { runNvidiaSmi } from '../../../src/simulator/nvidia-smi/memory-world.ts';

const gpus = assembleGpus(['A100-SXM4-40GB', 'A100-SXM4-40GB']);
const handle = 'handle gpu 0 name monitoring/dcgm';
const run = (state: string, command: string) => runNvidiaSmi({ gpus, state, argv: command.split(' ') });

describe('a handle on a GPU', () => {
  const on = ['gpu 0 mig 1 pending 1', 'gpu 1 mig 0 pending 0', handle, ''].join('\n');
  const off = `${handle}\n`;

  it('keeps a change of MIG mode pending, and says in use', () => {
    const { rc, stdout, state } = run(off, '-i 0 -mig 1');
    expect(rc).to.equal(0);
    expect(stdout).to.contain('MIG mode is in pending enable state').and.contain('In use by another client');
    expect(state).to.contain('gpu 0 mig 0 pending 1').and.contain(handle);
    expect(run(off, '-i 1 -mig 1').state).to.contain('gpu 1 mig 1 pending 1');
  });

  it('refuses a reset', () => {
    const { rc, stdout } = run(`${off}persistence gpu 0 off\n`, '--gpu-reset -i 0');
    expect(rc).to.equal(255);
    expect(stdout).to.contain('In use by another client');
  });

  it('does not stand in the way of instances that are made and destroyed', () => {
    const made = run(on, 'mig -i 0 -cgi 19 -C');
    expect(made.rc).to.equal(0);
    const gi = /^gi 0 (\d+) /m.exec(made.state)?.[1] ?? '';
    const emptied = run(made.state, `mig -i 0 -gi ${gi} -dci`);
    expect(emptied.rc).to.equal(0);
    expect(run(emptied.state, `mig -i 0 -gi ${gi} -dgi`).state).not.to.contain('gi 0');
  });

  it('shows no process', () => {
    expect(run(on, '-q -x').stdout).to.not.contain('dcgm');
  });

  it('of a GPU that the node does not have is refused, naming the line', () => {
    expect(() => run('handle gpu 2 name x\n', '-L')).to.throw('state line 1');
  });
});
