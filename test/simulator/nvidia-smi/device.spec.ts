import { expect } from 'chai';
import fc from 'fast-check';
import { migUuid, rebootNode, overlaps } from '../../../src/simulator/nvidia-smi/device.ts';
import { parseState, renderState } from '../../../src/simulator/nvidia-smi/state.ts';
import { aNode } from './simulated-node.ts';

describe('simulated device', () => {
  it('places seven 1g of an A100 in the order that was seen on real ones', () => {
    const node = aNode('A100-SXM4-40GB').withMig();
    const starts = Array.from({ length: 7 }, () => {
      const before = node.places();
      node.run('mig -i 0 -cgi 19');
      return node.places().find((place) => !before.includes(place));
    });
    expect(starts).to.deep.equal(['6:1', '4:1', '5:1', '0:1', '1:1', '2:1', '3:1']);
  });

  it('gives the same place another GPU instance id on a GPU with an odd index', () => {
    const node = aNode('A100-SXM4-40GB', 'A100-SXM4-40GB').withMig();
    node.run('mig -cgi 9:4');
    expect(node.lines('gi')).to.deep.equal(['gi 0 2 profile 9 place 4:4', 'gi 1 1 profile 9 place 4:4']);
  });

  it('gives an instance its old UUID when it is made again at its place', () => {
    const node = aNode('A100-SXM4-40GB').withMig();
    node.run('mig -i 0 -cgi 19:3 -C');
    const first = node.run('-L').stdout;
    node.run('mig -i 0 -dci');
    node.run('mig -i 0 -dgi');
    node.run('mig -i 0 -cgi 19:3 -C');
    expect(first).to.match(/MIG 1g\.5gb +Device {2}0: \(UUID: MIG-/);
    expect(node.run('-L').stdout).to.equal(first);
  });

  it('has one +me of any size on an A30, which has one JPEG and one OFA engine', () => {
    const node = aNode('A30').withMig();
    node.run('mig -i 0 -cgi 1g.6gb+me');
    const second = node.run('mig -i 0 -cgi 2g.12gb+me');
    expect(second.rc).to.equal(23);
    expect(node.lines('gi')).to.have.length(1);
  });

  it('keeps an Ampere GPU pending while a process holds it, and a reset after the process, with persistence mode off, makes the mode current', () => {
    const node = aNode('A30').withState('gpu 0 mig 0 pending 0', 'proc gpu 0 pid 7 mem 10 name dcgm');
    const pending = node.run('-i 0 -mig 1');
    const refused = node.run('--gpu-reset -i 0');
    node.withState(...node.lines('gpu'));
    const held = node.run('--gpu-reset -i 0');
    const off = node.run('-i 0 -pm 0');
    const done = node.run('--gpu-reset -i 0');
    expect([pending.rc, refused.rc, held.rc, off.rc, done.rc]).to.deep.equal([0, 255, 255, 0, 0]);
    expect(held.stdout).to.equal(refused.stdout);
    expect(pending.stdout).to.contain('Warning: MIG mode is in pending enable state');
    expect(node.lines('gpu')).to.deep.equal(['gpu 0 mig 1 pending 1']);
  });

  it('loses every instance at a reset', () => {
    const node = aNode('A100-SXM4-40GB').withMig();
    node.run('mig -i 0 -cgi 9,9 -C');
    node.run('-i 0 -pm 0');
    node.run('--gpu-reset -i 0');
    expect(node.state).to.equal('gpu 0 mig 1 pending 1\npersistence gpu 0 off\n');
  });

  it('has persistence mode on until it is switched off, in every report, and on again after a reboot', () => {
    const node = aNode('A30', 'A30');
    expect(node.run('-i 0 -pm 1').stdout).to.equal(
      'Persistence mode is already Enabled for GPU 00000000:07:00.0.\nAll done.\n',
    );
    expect(node.run('-i 1 -pm DISABLED').stdout).to.match(/^Disabled persistence mode for GPU .*\nAll done\.\n$/);
    expect(node.run('-i 1 -q -x').stdout).to.contain('<persistence_mode>Disabled');
    expect(node.run('-i 0 -q -x').stdout).to.contain('<persistence_mode>Enabled');
    expect(node.run('-pm 2').rc).to.equal(2);
    expect(renderState(rebootNode(node.gpus, parseState(node.state, 2)))).not.to.contain('persistence');
  });

  it('forgets instances and processes at a reboot, and MIG mode only where the board does not store it', () => {
    const node = aNode('A100-SXM4-40GB', 'H100-80GB-HBM3').withMig();
    node.run('mig -cgi 19 -C');
    node.withProcess('proc gpu 0 gi 13 ci 0 pid 7 mem 10 name python');
    const rebooted = rebootNode(node.gpus, parseState(node.state, 2));
    expect(renderState(rebooted)).to.equal('gpu 0 mig 1 pending 1\ngpu 1 mig 0 pending 0\n');
  });

  it('never destroys what a process holds', () => {
    const node = aNode('A100-SXM4-40GB').withMig();
    node.run('mig -i 0 -cgi 19:0 -C');
    node.withProcess('proc gpu 0 gi 7 ci 0 pid 7 mem 10 name python');
    const results = ['mig -i 0 -dci', 'mig -i 0 -dgi', '-i 0 -mig 0', '--gpu-reset -i 0'].map(
      (line) => node.run(line).rc,
    );
    expect(results).to.deep.equal([19, 19, 19, 255]);
    expect(node.lines('ci')).to.have.length(1);
  });

  it('keeps instances apart, ids unique and compute instances inside, whatever commands come', () => {
    const command = fc.oneof(
      fc.constantFrom('19', '20', '15', '14', '9', '5', '0').map((id) => `mig -cgi ${id}`),
      fc.tuple(fc.constantFrom('19', '14', '9'), fc.nat(7)).map(([id, start]) => `mig -cgi ${id}:${start} -C`),
      fc.constantFrom('mig -cci', 'mig -cci 0', 'mig -cci 0,1', '-pm 0', '--gpu-reset', '-mig 0', '-mig 1'),
      fc.nat(14).map((gi) => `mig -dgi -gi ${gi}`),
      fc.nat(14).map((gi) => `mig -dci -gi ${gi}`),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
        const node = aNode('A100-SXM4-40GB', 'H100-80GB-HBM3').withMig();
        commands.forEach((line) => node.run(line));
        const { gpus } = parseState(node.state, 2);
        for (const { gpuInstances } of gpus) {
          const ids = gpuInstances.map(({ id }) => id);
          expect(new Set(ids).size).to.equal(ids.length);
          expectApart(gpuInstances);
          gpuInstances.forEach(({ computeInstances }) => expectApart(computeInstances));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has MIG UUIDs that depend on the GPU', () => {
    const [first, second] = aNode('A100-SXM4-40GB', 'A100-SXM4-40GB').gpus;
    expect(first && migUuid(first, 1, 0)).to.not.equal(second && migUuid(second, 1, 0));
  });
});

function expectApart(places: readonly { readonly start: number; readonly size: number }[]): void {
  places.forEach((place, at) => {
    expect(places.slice(at + 1).some((other) => overlaps(place, other))).to.equal(false);
  });
}
