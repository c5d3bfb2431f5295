import { expect } from 'chai';
import { parseState, renderState, StateSyntaxError } from '../../../src/simulator/nvidia-smi/state.ts';

describe('state file', () => {
  it('means MIG off when it is empty', () => {
    expect(renderState(parseState('', 2))).to.equal('gpu 0 mig 0 pending 0\ngpu 1 mig 0 pending 0\n');
  });

  it('is written in one order, whatever the order in which it was read', () => {
    const text = [
      'proc gpu 0 gi 2 ci 0 pid 42 mem 1200 name python3 train.py',
      'gi 0 2 profile 9 place 4:4',
      'ci 0 2 1 profile 0 place 1:1',
      'gi 0 1 profile 9 place 0:4',
      'ci 0 2 0 profile 0 place 0:1',
      'gpu 0 mig 1 pending 0',
      'proc gpu 1 pid 7 mem 1 name x',
    ].join('\n');
    const once = renderState(parseState(text, 2));
    expect(once.split('\n')).to.deep.equal([
      'gpu 0 mig 1 pending 0',
      'gi 0 1 profile 9 place 0:4',
      'gi 0 2 profile 9 place 4:4',
      'ci 0 2 0 profile 0 place 0:1',
      'ci 0 2 1 profile 0 place 1:1',
      'gpu 1 mig 0 pending 0',
      'proc gpu 0 gi 2 ci 0 pid 42 mem 1200 name python3 train.py',
      'proc gpu 1 pid 7 mem 1 name x',
      '',
    ]);
    expect(renderState(parseState(once, 2))).to.equal(once);
  });

  for (const line of ['gpu 2 mig 1 pending 1', 'gpu 0 mig 2 pending 1', 'ci 0 9 0 profile 0 place 0:1', 'hello']) {
    it(`refuses ${JSON.stringify(line)} on a node with two GPUs, naming the line`, () => {
      expect(() => parseState(`gpu 0 mig 1 pending 1\n${line}\n`, 2)).to.throw(StateSyntaxError, 'state line 2');
    });
  }
});
