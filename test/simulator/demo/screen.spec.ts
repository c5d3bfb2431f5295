import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { Screen } from '../../../src/simulator/demo/screen.ts';

function aScreen() {
  const stream = Object.assign(new PassThrough(), { isTTY: false });
  let now = 0;
  const screen = new Screen(stream as unknown as NodeJS.WriteStream, () => now);
  return { screen, pass: (ms: number) => (now += ms), read: () => String((stream.read() as Buffer | null) ?? '') };
}

const picture = (state: string): readonly string[] => [`node-a ${state}`, 'node-b Ready'];

describe('the log of the demo', () => {
  it('has the first and the last picture of what changes all the time, and one in ten seconds between', () => {
    const { screen, pass, read } = aScreen();
    for (let at = 0; at < 100; at += 1) {
      screen.live(picture(`step ${at}`));
      pass(150);
    }
    screen.line('done');
    const steps = [...read().matchAll(/step (\d+)/g)].map(([, step]) => Number(step));
    expect(steps).to.deep.equal([0, 67, 99]);
  });

  it('has each line of progress, and no picture twice', () => {
    const { screen, read } = aScreen();
    for (const line of ['compiling 1 of 3', 'compiling 2 of 3', 'compiling 2 of 3']) screen.live([line]);
    screen.title('next');
    screen.live(picture('Ready'));
    screen.live(picture('Ready'));
    screen.line('done');
    expect(read()).to.match(/^compiling 1 of 3\ncompiling 2 of 3\n\n.*next.*\nnode-a Ready\nnode-b Ready\ndone\n$/);
  });
});
