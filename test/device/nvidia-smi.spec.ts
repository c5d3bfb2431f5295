import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { applyNode } from '../../src/device/apply.ts';
import { makeExecute, type Execute, findTool } from '../../src/device/child.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { NvidiaSmi, openNvidiaSmi, type NvidiaSmiOptions } from '../../src/device/nvidia-smi.ts';
import { writeNvidiaSmiWrapper } from '../../src/simulator/nvidia-smi/wrapper.ts';
import { useScratchFolder } from './scratch-folder.ts';

const program = fileURLToPath(new URL('../../src/simulator/nvidia-smi/main.ts', import.meta.url));

/** The simulated nvidia-smi as the program that a node would have; every command is a process. */
describe('nvidia-smi as a program', () => {
  const scratch = useScratchFolder();
  let count = 0;
  function aHost(gpus: readonly string[], state = '', options: NvidiaSmiOptions = {}) {
    count += 1;
    const [stateFile, faultsFile] = [scratch.path(`state-${count}`), scratch.path(`faults-${count}`)];
    writeFileSync(stateFile, state);
    writeFileSync(faultsFile, '');
    const dir = scratch.path(`host-${count}`);
    const path = writeNvidiaSmiWrapper(dir, { gpus, stateFile, faultsFile, program, node: process.execPath });
    return {
      path,
      driver: openNvidiaSmi({ path, ...options }),
      fault: (text: string): void => writeFileSync(faultsFile, text),
      state: (): string => readFileSync(stateFile, 'utf8'),
    };
  }

  it('brings a GPU from MIG off to a layout', async () => {
    const { driver } = aHost(['A30']);
    const { gpus } = await driver.readDevice();
    const uuid = gpus[0]?.uuid ?? '';
    const {
      results: [result],
    } = await applyNode(driver, [{ uuid, want: { '2g.12gb': 1, '1g.6gb': 2 } }]);
    expect(result?.outcome).to.equal('Applied');
    const [gpu] = (await driver.readDevice()).gpus;
    expect(gpu?.instances.map(({ profile }) => profile).toSorted()).to.deep.equal(['1g.6gb', '1g.6gb', '2g.12gb']);
  });

  it('that hangs in an operation is killed; what it did is read, and the next apply converges', async () => {
    const { driver, fault } = aHost(['A30'], 'gpu 0 mig 1 pending 1\n', { changeMs: 1_500, readMs: 10_000 });
    const uuid = (await driver.readDevice()).gpus[0]?.uuid ?? '';
    fault('hang DeviceCreateGpuInstance nth=2');
    const targets = [{ uuid, want: { '1g.6gb': 2 } }];
    const {
      results: [result],
    } = await applyNode(driver, targets);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Failed', 'TimedOut']);
    fault('');
    const {
      results: [again],
    } = await applyNode(driver, targets);
    expect([again?.outcome, again?.operations]).to.deep.equal(['Applied', 1]);
  });

  it('says by which option it may take longer', async () => {
    const execute: Execute = () => Promise.resolve({ rc: 255, stdout: '', end: 'TimedOut' });
    const driver = new NvidiaSmi(execute, { changeMs: 240_000, resetMs: 360_000 });
    const read: unknown = await driver.readDevice().catch((reason: unknown) => reason);
    expect(read).to.be.an('error').with.property('message').that.contains('no answer in 15 s (--read-timeout-seconds)');
    const gpu = '00000000:07:00.0';
    const { limit } = await driver.change({ name: 'DestroyInstances', gpu, instances: [1] });
    expect(limit).to.equal('240 s (--change-timeout-seconds)');
    for (const command of [
      { name: 'Reset', gpu },
      { name: 'SetMode', gpu, mode: 'Enabled' },
    ] as const)
      expect((await driver.change(command)).limit).to.equal('360 s (--reset-timeout-seconds)');
  });

  it('has the time of each GPU that a command names, and says so', async () => {
    const execute: Execute = (_args, deadlineMs) =>
      Promise.resolve({ rc: 255, stdout: String(deadlineMs), end: 'TimedOut' });
    const driver = new NvidiaSmi(execute);
    const [gpu, ...also] = ['00000000:07:00.0', '00000000:0F:00.0', '00000000:17:00.0'] as const;
    const destroyed = await driver.change({ name: 'DestroyInstances', gpu, also, instances: [1] });
    expect(destroyed).to.include({ stdout: '180000', limit: '180 s (--change-timeout-seconds for each of 3 GPUs)' });
    const switched = await driver.change({ name: 'SetMode', gpu, also, mode: 'Enabled' });
    expect(switched).to.include({ stdout: '900000', limit: '900 s (--reset-timeout-seconds for each of 3 GPUs)' });
  });

  it('may reset a GPU for longer than it may do anything else', async () => {
    const limits: number[] = [];
    const execute: Execute = (_args, deadlineMs) => {
      limits.push(deadlineMs);
      return Promise.resolve({ rc: 0, stdout: '', end: 'Exited' });
    };
    const driver = new NvidiaSmi(execute);
    const gpu = '00000000:07:00.0';
    await driver.change({ name: 'Reset', gpu });
    await driver.change({ name: 'SetPersistence', gpu, on: false });
    expect(limits).to.deep.equal([300_000, 60_000]);
  });

  it('is ended at its deadline, not much later, whether it hangs before or after its work', async () => {
    const state = 'gpu 0 mig 1 pending 1\n';
    const { path, fault } = aHost(['A30'], state);
    const inner = makeExecute(findTool({ path }));
    const ratios: number[] = [];
    const execute: Execute = async (args, deadlineMs) => {
      const startedAt = performance.now();
      const execution = await inner(args, deadlineMs);
      if (execution.end === 'TimedOut') ratios.push((performance.now() - startedAt) / deadlineMs);
      return execution;
    };
    const driver = new NvidiaSmi(execute, { changeMs: 1_500, readMs: 3_000 });
    const uuid = (await driver.readDevice()).gpus[0]?.uuid ?? '';
    const go = async (count: number) => (await applyNode(driver, [{ uuid, want: { '1g.6gb': count } }])).results;
    fault('hang GpuInstanceCreateComputeInstance nth=1 done');
    expect((await go(1))[0]?.outcome).to.equal('Applied');
    fault('hang Init nth=1');
    const error: unknown = await go(2).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DeviceError).with.property('code', 'TimedOut');
    fault('');
    expect((await go(2))[0]).to.include({ outcome: 'Applied', operations: 1 });
    expect(ratios).to.have.length(2);
    for (const ratio of ratios) expect(ratio).to.be.within(1, 1.5);
  }).timeout(60_000);

  it('that writes without end is ended, and nothing is changed', async () => {
    const { driver, fault, state } = aHost(['A30'], 'gpu 0 mig 1 pending 1\n', { maxOutputBytes: 200_000 });
    fault('output flood=5000000');
    const error: unknown = await driver.readDevice().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DeviceError).with.property('code', 'ParseError');
    expect(state()).to.equal('gpu 0 mig 1 pending 1\n');
  });

  it('is run one at a time, however many ask', async () => {
    const { driver } = aHost(['A30']);
    const states = await Promise.all([driver.readDevice(), driver.readDevice()]);
    expect(states[0]).to.deep.equal(states[1]);
  });
});
