import { expect } from 'chai';
import { FaultSyntaxError, parseFaults } from '../../../src/simulator/nvidia-smi/faults.ts';
import { HungUp } from '../../../src/simulator/nvidia-smi/world.ts';
import { type NvidiaSmiNode, aNode } from './simulated-node.ts';

describe('faults of the simulated nvidia-smi', () => {
  it('fail a call with its NVML code, only where the line says', () => {
    const node = anA100().withFaults('fail GpuInstanceDestroy rc=19 gi=13');
    node.run('mig -i 0 -cgi 19:0,19:6');
    expect(node.run('mig -i 0 -dgi -gi 7').rc).to.equal(0);
    expect(node.run('mig -i 0 -dgi -gi 13')).to.include({
      rc: 19,
      stdout:
        'Unable to destroy GPU instance ID 13 from GPU  0: In use by another client\n' +
        'Failed to destroy GPU instances: In use by another client\n',
    });
  });

  it('strike at the n-th match over several commands and then no more', () => {
    const node = anA100().withFaults('fail DeviceCreateGpuInstance rc=999 nth=2-3');
    const codes = Array.from({ length: 5 }, () => node.run('mig -i 0 -cgi 19').rc);
    expect(codes).to.deep.equal([0, 255, 255, 0, 0]);
    expect(node.lines('gi')).to.have.length(3);
  });

  it('count a call once, whatever is asked of it', () => {
    const tables = anA100().withFaults('fail DeviceGetGpuInstanceProfileInfo rc=999 nth=2');
    expect([1, 2, 3].map(() => tables.run('mig -lgip').rc)).to.deep.equal([0, 255, 0]);
    const modes = anA100().withFaults('fail DeviceGetMigMode rc=999 nth=2');
    expect([1, 2, 3].map(() => modes.run('mig -lgi').stdout)).to.deep.equal([
      'No GPU instances found: Not Found\n',
      'No MIG-supported devices found.\n',
      'No GPU instances found: Not Found\n',
    ]);
  });

  it('stand in place of the memory in report and query', () => {
    const node = aNode('A100-SXM4-40GB', 'A30').withFaults('fail DeviceGetMemoryInfo rc=16 gpu=0');
    expect(node.run('-q -x -i 0').stdout).to.contain('<total>GPU requires reset</total>');
    expect(node.run('--query-gpu=index,memory.total,memory.free --format=csv,noheader').stdout).to.equal(
      '0, [GPU requires reset], [GPU requires reset]\n1, 24576 MiB, 24063 MiB\n',
    );
  });

  it('may report a failure of what was done', () => {
    const node = anA100().withFaults('fail DeviceCreateGpuInstance rc=10 done');
    expect(node.run('mig -i 0 -cgi 19').rc).to.equal(255);
    expect(node.lines('gi')).to.have.length(1);
  });

  it('may report success of what was not done', () => {
    const node = anA100().withFaults('skip DeviceCreateGpuInstance');
    const result = node.run('mig -i 0 -cgi 19');
    expect(result.stdout).to.match(/^Successfully created GPU instance ID 13/);
    expect(node.lines('gi')).to.deep.equal([]);
  });

  it('lose one GPU: -L lists the others, all else needs the index or bus id of a healthy one', () => {
    const node = aNode('A100-SXM4-40GB', 'A100-SXM4-40GB').withFaults('lost gpu=1');
    const healthy = node.gpus[0]?.uuid ?? '';
    const loss = 'GPU is lost.  Reboot the system to recover this GPU\n\n\n';
    expect(node.run('-L')).to.include({
      rc: 15,
      stdout:
        `GPU 0: NVIDIA A100-SXM4-40GB (UUID: ${healthy})\n` +
        `Unable to determine the device handle for gpu 0000:0F:00.0: ${loss}`,
    });
    const query = '--query-gpu=index --format=csv,noheader';
    expect(node.run(query)).to.include({
      rc: 15,
      stdout: `Unable to determine the device handle for GPU0000:0F:00.0: ${loss}`,
    });
    expect(node.run(`-i 0 ${query}`)).to.include({ rc: 0, stdout: '0\n' });
    expect(node.run(`-i 07:00.0 ${query}`)).to.include({ rc: 0, stdout: '0\n' });
    expect(node.run(`-i ${healthy} ${query}`).rc).to.equal(255);
  });

  it('leak a handle: the compute instance goes, the GPU instance is in use by nobody', () => {
    const node = anA100().withFaults('leak gi=13');
    node.run('mig -i 0 -cgi 19 -C');
    expect([node.run('mig -i 0 -dci').rc, node.run('mig -i 0 -dgi').rc]).to.deep.equal([0, 19]);
    expect(node.lines('ci')).to.deep.equal([]);
    expect(node.lines('gi')).to.have.length(1);
  });

  it('hold MIG mode pending for as long as the file says', () => {
    const node = aNode('A100-SXM4-40GB').withFaults('migpending rc=16', 'skip GpuReset');
    node.run('-i 0 -mig 1');
    node.run('-i 0 -pm 0');
    expect(node.run('--gpu-reset -i 0').rc).to.equal(0);
    expect(node.lines('gpu')).to.deep.equal(['gpu 0 mig 0 pending 1']);
  });

  it('hide a profile, as a driver without it does', () => {
    const node = anA100().withFaults('hide profile=15');
    expect(node.run('mig -lgip').stdout).to.not.contain('1g.10gb');
    expect(node.run('mig -lgipp').stdout).to.not.contain('Profile ID 15');
    expect(node.run('mig -i 0 -cgi 1g.10gb').rc).to.equal(2);
  });

  it('reboot the node once', () => {
    const node = anA100();
    node.run('mig -i 0 -cgi 19');
    node.withFaults('reboot');
    expect(node.run('mig -i 0 -lgi').rc).to.equal(6);
    node.run('mig -i 0 -cgi 19');
    expect(node.run('mig -i 0 -lgi').rc).to.equal(0);
  });

  it('damage the output of the commands that they name', () => {
    const whole = anA100().run('-L').stdout;
    const cut = anA100().withFaults('output cut=20 with=-L');
    expect(cut.run('-L').stdout).to.equal(whole.slice(0, 20));
    expect(cut.run('--version').stdout).to.contain('550.163.01');
    expect(anA100().withFaults('output empty').run('-L').stdout).to.equal('');
    expect(anA100().withFaults('output garbage=500').run('-L').stdout).to.contain('\0');
    expect(anA100().withFaults('output flood=5000').run('-L').stdout).to.have.length(whole.length + 5000);
  });

  it('hang a call before or after its work', () => {
    const before = anA100().withFaults('hang DeviceCreateGpuInstance');
    expect(() => before.run('mig -i 0 -cgi 19')).to.throw(HungUp);
    expect(() => anA100().withFaults('hang Run').run('-L')).to.throw(HungUp);
  });

  it('take the driver or its library away', () => {
    expect(anA100().withFaults('nodriver').run('-L').rc).to.equal(9);
    expect(anA100().withFaults('nolibrary').run('-L').rc).to.equal(12);
    expect(anA100().withFaults('fail Init rc=18').run('-L').stdout).to.contain('Driver/library version mismatch');
  });

  it('are refused with line and reason where they mean nothing', () => {
    expect(() => parseFaults('# fine\n\nfail DeviceCreateGpuInstance')).to.throw(
      FaultSyntaxError,
      'fault line 3: fail needs rc=',
    );
    expect(() => parseFaults('explode gpu=1')).to.throw(FaultSyntaxError, 'unknown fault');
    expect(() => parseFaults('lost gpu=one')).to.throw(FaultSyntaxError, 'gpu=one');
    expect(() => parseFaults('sleep ms=5')).to.throw(FaultSyntaxError, 'NVML call is missing');
    expect(() => parseFaults('fail GpuInstanceDestory rc=19')).to.throw(FaultSyntaxError, 'no call GpuInstanceDestory');
    for (const line of ['output cut=20 gpu=1', 'fail Init rc=9 gi=1'])
      expect(() => parseFaults(line), line).to.throw(FaultSyntaxError, 'names no GPU');
    for (const line of ['fail Run rc=9', 'skip Run'])
      expect(() => parseFaults(line), line).to.throw(FaultSyntaxError, 'Run has no result of its own');
    for (const [line, word] of [
      ['sleep Run ms=5 rc=9', 'rc=9'],
      ['lost gpu=1 done', 'done'],
      ['hang Run Init', 'Init'],
      ['output empty cut=5', 'cut=5'],
      ['nodriver with=-L DeviceReset', 'DeviceReset'],
    ] as const)
      expect(() => parseFaults(line), line).to.throw(FaultSyntaxError, `means nothing here: ${word}`);
    expect(() => parseFaults('output')).to.throw(FaultSyntaxError, 'unknown fault');
    for (const nth of ['0', '3-2', '0-'])
      expect(() => parseFaults(`fail Init rc=9 nth=${nth}`), nth).to.throw(FaultSyntaxError, 'no match in nth');
    for (const call of ['*', 'Run', 'GpuInstance', 'DeviceGetMigMode']) parseFaults(`sleep ${call} ms=5 nth=1-1`);
  });
});

function anA100(): NvidiaSmiNode {
  return aNode('A100-SXM4-40GB').withMig();
}
