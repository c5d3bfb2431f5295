import { expect } from 'chai';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { findBoard, UnknownGpuError, listGiProfiles } from '../../../src/simulator/nvidia-smi/board.ts';
import { assembleGpus } from '../../../src/simulator/nvidia-smi/device.ts';
import { aNode } from './simulated-node.ts';

describe('GPUs of a simulated node', () => {
  it('are found by short name, product name, label and model id', () => {
    const names = ['H100-80GB-HBM3', 'NVIDIA H100 80GB HBM3', 'NVIDIA-H100-80GB-HBM3', 'h100-80gb-sxm'];
    const products = assembleGpus(names).map(({ board }) => board.productName);
    expect(products).to.deep.equal(names.map(() => 'NVIDIA H100 80GB HBM3'));
  });

  it('may be without MIG', () => {
    const [gpu] = assembleGpus(['T4']);
    expect(gpu?.board).to.include({ productName: 'Tesla T4', memoryMiB: 15360, computeCapability: '7.5' });
    expect(gpu?.board.model).to.equal(undefined);
  });

  it('must be known', () => {
    expect(() => assembleGpus(['A100-SXM4-40GB', 'Voodoo 2'])).to.throw(UnknownGpuError, 'Voodoo 2');
  });

  it('have the same UUIDs for the same seed and none in common with another', () => {
    const models = ['A100-SXM4-40GB', 'A100-SXM4-40GB', 'T4'];
    const uuids = (seed: string): readonly string[] => assembleGpus(models, seed).map(({ uuid }) => uuid);
    expect(uuids('n1')).to.deep.equal(uuids('n1'));
    expect(new Set([...uuids('n1'), ...uuids('n2'), ...uuids('recorded')]).size).to.equal(9);
  });

  it('are acted on all at once without -i, those without MIG left out', () => {
    const node = aNode('A100-SXM4-40GB', 'T4', 'A30')
      .withMig()
      .withState('gpu 0 mig 1 pending 1', 'gpu 2 mig 1 pending 1');
    node.run('mig -cgi 14');
    expect(node.lines('gi')).to.deep.equal(['gi 0 5 profile 14 place 4:2', 'gi 2 3 profile 14 place 0:1']);
    expect(node.run('mig -i 1 -lgi')).to.include({ rc: 6, stdout: 'No MIG-supported devices found.\n' });
  });

  it('without MIG take -mig 1 as a warning only', () => {
    const result = aNode('T4').run('-i 0 -mig 1');
    expect(result.rc).to.equal(0);
    expect(result.stdout).to.equal(
      'Unable to enable MIG Mode for GPU 00000000:07:00.0: Not Supported\nTreating as warning and moving on.\nAll done.\n',
    );
  });

  it('may be none', () => {
    const node = aNode();
    expect(node.run('-L')).to.include({ rc: 0, stdout: 'No devices found.\n' });
    expect(node.run('mig -lgi')).to.include({ rc: 6, stdout: 'No devices were found\n' });
  });

  it('with long profile names have wider tables', () => {
    const table = aNode('NVIDIA RTX PRO 6000 Blackwell Server Edition').withMig().run('mig -lgip').stdout;
    const widths = new Set(
      table
        .trimEnd()
        .split('\n')
        .map((line) => line.length),
    );
    expect([...widths]).to.deep.equal([81]);
  });

  it('each report their own processes in -q -x', () => {
    const node = aNode('T4', 'T4').withProcess('proc gpu 1 pid 77 mem 100 name a <b> & c');
    const reports = node.run('-q -x').stdout.split('<gpu id=').slice(1);
    expect(reports.map((report) => report.includes('<pid>77</pid>'))).to.deep.equal([false, true]);
    expect(reports[1]).to.contain('<process_name>a &lt;b&gt; &amp; c</process_name>');
  });

  for (const model of MODELS.filter(({ profiles }) => profiles.some(({ starts }) => starts.length > 0))) {
    it(`of model ${model.id} create each profile and print no hole`, () => {
      const node = aNode(model.products[0]?.name ?? model.id).withMig();
      const profiles = listGiProfiles(node.gpus[0]?.board ?? findBoard(model.id)).filter(
        ({ starts }) => starts.length > 0,
      );
      for (const { name, id, starts } of profiles) {
        node.withMig();
        expect(node.run(`mig -i 0 -cgi ${name}:${starts[0]} -C`), name).to.include({ rc: 0 });
        expect(node.lines('gi')[0]).to.contain(`profile ${id} place ${starts[0]}:`);
        const output = ['mig -lgip', 'mig -lgi', 'mig -lcip', 'mig -lci', '-L', '-q -x', ''].map(
          (line) => node.run(line).stdout,
        );
        expect(output.join('')).to.not.match(/undefined|NaN|unknown/);
      }
    });
  }
});
