import { expect } from 'chai';
import fc from 'fast-check';
import { applyNode } from '../../src/device/apply.ts';
import { ArgumentRefused, writeArguments, type SmiCommand } from '../../src/device/smi-command.ts';
import { SimulatedNode } from './simulated-node.ts';

/** Every argument that may ever be seen, whatever came in: words of the table, decimal ids, checked bus ids. */
const allowed = [
  /^(?:mig|-i|-q|-x|-L|-mig|--gpu-reset|-C|-gi|-ci|-lgip?p?|-lcip?|-cgi|-cci|-dgi|-dci)$/,
  /^--(?:query-gpu=pci\.bus_id,compute_cap|format=csv,noheader,nounits)$/,
  /^\d{1,4}(?:,\d{1,4})*$/,
  /^\d{1,4}:\d{1,4}$/,
  /^[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7](?:,[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7])*$/,
];

const isAllowed = (arg: string): boolean => allowed.some((pattern) => pattern.test(arg));

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '-i 0;reboot',
    '$(reboot)',
    '19:x',
    '11-13',
    '0,1',
    '__proto__',
    'constructor',
    '1g.5gb\n-dgi',
    ' 1g.5gb',
    '1G.5GB',
    '１g.5gb',
    '1g.5gb\0',
    '../../bin/sh',
    '--gpu-reset',
  ),
);

describe('hostile input', () => {
  it('in profiles, counts and GPU ids never reaches a command line', async () => {
    const node = new SimulatedNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    const driver = node.openDriver();
    const wants = fc.array(fc.tuple(hostileText, fc.oneof(fc.integer({ min: 1, max: 9 }), fc.double())), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(wants, fc.boolean(), hostileText, async (entries, isKnown, id) => {
        node.commands.length = 0;
        const want: Record<string, number> = Object.fromEntries([...entries, ['1g.5gb', 1]]);
        await applyNode(driver, [{ uuid: isKnown ? node.uuid(0) : id, want, mayDestroy: [{ profile: id, start: 0 }] }]);
        for (const arg of node.commands.flat()) expect(isAllowed(arg), arg).to.equal(true);
      }),
      { numRuns: 200 },
    );
  });

  it('in what the driver itself prints never reaches a command line', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const node = new SimulatedNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\ngi 0 13 profile 19 place 6:1\n');
        node.intercept = (_args, run) => {
          const execution = run();
          return { ...execution, stdout: execution.stdout.replaceAll('00000000:07:00.0', () => text) };
        };
        const targets = [{ uuid: node.uuid(0), want: { '3g.20gb': 1 } }];
        await applyNode(node.openDriver(), targets).catch(() => undefined);
        for (const arg of node.commands.flat()) expect(isAllowed(arg), arg).to.equal(true);
      }),
      { numRuns: 60 },
    );
  });

  it('is refused by the writer of command lines itself', () => {
    const bad: readonly SmiCommand[] = [
      { name: 'Reset', gpu: '0' },
      { name: 'Reset', gpu: 'GPU-c64f3bd4-742c-54d4-a411-9a2a2bcd42a3' },
      { name: 'Reset', gpu: '' },
      { name: 'DestroyInstance', gpu: '00000000:07:00.0', instance: -1 },
      { name: 'DestroyInstance', gpu: '00000000:07:00.0', instance: Number.NaN },
      { name: 'DestroyInstance', gpu: '00000000:07:00.0', instance: 1.5 },
      { name: 'DestroyComputeInstances', gpu: '00000000:07:00.0', instance: 1, ids: [] },
      { name: 'CreateInstance', gpu: '00000000:07:00.0', profileId: 19, start: Infinity, whole: true },
      { name: 'Instances', gpus: [] },
    ];
    for (const command of bad) expect(() => writeArguments(command), JSON.stringify(command)).to.throw(ArgumentRefused);
  });

  it('finds that no change ever goes without its GPU', () => {
    const gpu = '00000000:07:00.0';
    const changes: readonly SmiCommand[] = [
      { name: 'SetMode', gpu, mode: 'Disabled' },
      { name: 'Reset', gpu },
      { name: 'CreateInstance', gpu, profileId: 9, start: 4, whole: false },
      { name: 'CreateComputeInstance', gpu, instance: 1, profileId: 0 },
      { name: 'CreateWholeComputeInstance', gpu, instance: 1 },
      { name: 'DestroyComputeInstances', gpu, instance: 1 },
      { name: 'DestroyInstance', gpu, instance: 1 },
    ];
    for (const change of changes) expect(writeArguments(change).join(' ')).to.include(`-i ${gpu}`);
  });
});
