import { expect } from 'chai';
import {
  composeLastScreen,
  type DemoResult,
  drawPicture,
  groupPictures,
  Screen,
} from '../../../src/simulator/demo/screen.ts';
import { modelOf, someInstances } from '../../core/gpu/builders.ts';
import { PassThrough } from 'node:stream';

const everyLabel = (strategy: 'none' | 'single' | 'mixed') => ({
  ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`nvidia.com/gpu.other-${at}`, 'x'])),
  'nvidia.com/gpu.product': 'A100-SXM4-40GB',
  'nvidia.com/gpu.count': '8',
  ...(strategy === 'mixed' && { 'nvidia.com/mig-1g.5gb.count': '16', 'nvidia.com/mig-3g.20gb.count': '8' }),
  pool: 'inference',
});

/** As many nodes and policies as the demo has. */
const result: DemoResult = {
  pictures: ['a100', 'h100', 'a30', 't4'].flatMap((name) => [
    `${name}   inference    Ready      Ready`,
    `  GPU 0-7  |${'1g.5gb  |'.repeat(8)}`,
  ]),
  tables: [
    { title: 'kubectl get gpp', text: `NAME\n${'policy '.repeat(20)}\nb\nc\n` },
    { title: 'kubectl get gpn', text: 'NAME\na100\nh100\na30\nt4\n' },
  ],
  pods: ['notebook: sim-a30', 'small-model: sim-a100'],
  nodes: (['mixed', 'mixed', 'single', 'none'] as const).map((strategy, at) => ({
    name: `sim-${at}`,
    strategy,
    labels: everyLabel(strategy),
  })),
};

describe('the last screen of the demo', () => {
  it('is one screen of 80 × 40 with the verdict below', () => {
    const lines = composeLastScreen(result);
    // A blank row above each title, and the verdict with its own.
    expect(lines.length + lines.filter(({ isTitle }) => isTitle).length + 2).to.be.at.most(40);
    for (const { text } of lines) expect(text.length, text).to.be.at.most(80);
  });

  it('has of the labels what the strategy decides, and all of them when asked for', () => {
    const short = composeLastScreen(result).map(({ text }) => text);
    expect(short).to.include('sim-0     mixed   mig-1g.5gb.count=16 mig-3g.20gb.count=8');
    expect(short).to.include('sim-3     none    gpu.count=8 gpu.product=A100-SXM4-40GB');
    const all = composeLastScreen(result, true).map(({ text }) => text);
    expect(all).to.include('  nvidia.com/gpu.other-39=x');
    expect(all).not.to.include('  pool=inference');
  });
});

describe('the pictures of the demo', () => {
  it('fit 80 columns with the names of the GPUs before them', () => {
    const picture = drawPicture(modelOf('a100-40gb'), someInstances('1g.5gb@0', '3g.20gb@4'));
    const lines = groupPictures([0, 1, 2].map((index) => ({ index, picture }))).map((line) => `  ${line}`);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^ {2}GPU 0-2 {2}\|/);
    expect(lines[0]?.length).to.equal(80);
  });
});

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
