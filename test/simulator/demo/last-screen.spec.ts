import { expect } from 'chai';
import { composeLastScreen, type DemoResult } from '../../../src/simulator/demo/last-screen.ts';

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
