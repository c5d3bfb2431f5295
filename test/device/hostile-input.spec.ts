import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import type { PolicyLayout } from '../../src/api/types.ts';
import { CliError, openTerminal, type Terminal } from '../../src/cli/terminal.ts';
import { readLayoutFile } from '../../src/cli/node/layout-file.ts';
import { applyLayout } from '../../src/cli/node/apply.ts';
import type { NodeLayout } from '../../src/core/host/plan.ts';
import { applyNode } from '../../src/device/apply.ts';
import { ArgumentRefused, describeCommand, type SmiCommand } from '../../src/core/smi/command.ts';
import { listStrangeCommands } from './argument-grammar.ts';
import { useScratchFolder } from './scratch-folder.ts';
import type { Step } from '../../src/core/gpu/plan.ts';
import { InProcessNode } from './simulated-node.ts';

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

const good = { profiles: { '1g.5gb': 2 } };
const rest = { gpus: { models: ['A100-SXM4-40GB'] }, ...good };

/** Entries that have the right types and a hostile string in one place; the other entry is what is right. */
const layoutEntries = hostileText.chain((text) => {
  const entries: readonly PolicyLayout[] = [
    { profiles: { [text]: 1 } },
    { preset: text },
    { gpus: { models: [text] }, ...good },
    { gpus: { uuids: [text] }, ...good },
    { gpus: { pciDeviceIds: [text] }, ...good },
  ];
  return fc.constantFrom(
    ...entries.flatMap((entry) => [
      [entry, rest],
      [rest, entry],
    ]),
  );
});

/** A layout file with a hostile string in one place; one that is right; or nothing but a hostile string. */
const layoutFiles = fc.oneof(
  hostileText,
  fc.constant<object>({ layouts: [rest] }),
  layoutEntries.map((layouts): object => ({ layouts })),
  hostileText.chain((text) => {
    const whole = { devices: 'all', 'mig-enabled': true, 'mig-devices': { '1g.5gb': 2 } };
    const parted = [whole, { ...whole, devices: text }, { ...whole, 'mig-devices': { [text]: 1 } }];
    return fc.constantFrom<object>(
      { layouts: [{ profiles: { '1g.5gb': text } }] },
      { layouts: [{ [text]: text, ...good }] },
      { layouts: [{ mig: text }] },
      { layouts: [{ gpus: { indices: [text] }, ...good }] },
      { layouts: [{ gpus: { [text]: [0] }, ...good }] },
      { layouts: [rest], [text]: text },
      { layouts: [rest], strategy: text },
      ...parted.map((config) => ({ version: 'v1', 'mig-configs': { [text]: [config] } })),
    );
  }),
);

function ignore(): void {}

describe('hostile input @all', () => {
  const scratch = useScratchFolder();

  it('in profiles, counts and GPU ids never reaches a command line', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    const driver = node.openDriver();
    const wants = fc.array(fc.tuple(hostileText, fc.oneof(fc.integer({ min: 1, max: 9 }), fc.double())), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(wants, fc.boolean(), hostileText, async (entries, isKnown, id) => {
        node.commands.length = 0;
        const want: Record<string, number> = Object.fromEntries([...entries, ['1g.5gb', 1]]);
        const steps: readonly Step[] = [
          { action: 'DestroyInstance', profile: id, start: 0, computeInstances: [] },
          { action: 'CreateInstance', profile: id, start: 0, computeInstances: [id] },
        ];
        await applyNode(driver, [{ uuid: isKnown ? node.uuid(0) : id, want, steps }]);
        expect(listStrangeCommands(node.commands)).to.deep.equal([]);
      }),
      { numRuns: 200 },
    );
  });

  it('in what the driver itself prints never reaches a command line', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\ngi 0 13 profile 19 place 6:1\n');
        node.intercept = (_args, run) => {
          const execution = run();
          return { ...execution, stdout: execution.stdout.replaceAll('00000000:07:00.0', () => text) };
        };
        const targets = [{ uuid: node.uuid(0), want: { '3g.20gb': 1 } }];
        await applyNode(node.openDriver(), targets).catch(() => undefined);
        expect(listStrangeCommands(node.commands)).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });

  /** Applies a layout as host mode does; true if anything was changed. */
  async function applyOnHost(layout: (terminal: Terminal) => Promise<NodeLayout>): Promise<boolean> {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A30'], 'gpu 0 mig 1 pending 1\n');
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const terminal = openTerminal({ stdin: Readable.from([]), stdout, stderr, cwd: scratch.path() });
    const watcher = { onCutOff: ignore, onPlan: ignore, onProgress: ignore };
    const limits = {
      stateDir: scratch.path('lib'),
      deadline: 60,
      podResourcesSocket: '/nowhere',
      lockTimeout: 0,
      allowGpuReset: true,
    };
    try {
      await applyLayout(node.openDriver(), await layout(terminal), limits, watcher, terminal);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
    expect(listStrangeCommands(node.commands)).to.deep.equal([]);
    return node.takeChanges().length > 0;
  }

  it('anywhere in a layout file of host mode never reaches a command line', async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(layoutFiles, hostileText, async (file, config) => {
        writeFileSync(scratch.path('layout.yaml'), typeof file === 'string' ? file : JSON.stringify(file));
        const isParted = typeof file !== 'string' && 'mig-configs' in file;
        const read = (terminal: Terminal) =>
          readLayoutFile({ filename: 'layout.yaml', ...(isParted && { config }) }, terminal);
        if (await applyOnHost(read)) changed += 1;
      }),
      { numRuns: 300 },
    );
    // The right ones among them came through.
    expect(changed).to.be.greaterThan(5);
  });

  it('in a layout that no check of a file has seen never reaches a command line', async () => {
    let changed = 0;
    const locate = (): string => 'layout.yaml:1:1';
    await fc.assert(
      fc.asyncProperty(layoutEntries, async (layouts) => {
        if (await applyOnHost(async () => ({ layouts, strategy: undefined, locate }))) changed += 1;
      }),
      { numRuns: 200 },
    );
    expect(changed).to.be.greaterThan(20);
  });

  it('is refused by the writer of command lines itself', () => {
    const bad: readonly SmiCommand[] = [
      { name: 'Reset', gpu: '0' },
      { name: 'Reset', gpu: 'GPU-c64f3bd4-742c-54d4-a411-9a2a2bcd42a3' },
      { name: 'Reset', gpu: '' },
      { name: 'DestroyInstances', gpu: '00000000:07:00.0', instances: [-1] },
      { name: 'DestroyInstances', gpu: '00000000:07:00.0', instances: [Number.NaN] },
      { name: 'DestroyInstances', gpu: '00000000:07:00.0', instances: [1.5] },
      { name: 'DestroyComputeInstances', gpu: '00000000:07:00.0', instances: [1], ids: [] },
      { name: 'CreateInstances', gpu: '00000000:07:00.0', places: [{ profileId: 19, start: Infinity }], whole: true },
      { name: 'Instances', gpus: [] },
    ];
    for (const command of bad)
      expect(() => describeCommand(command), JSON.stringify(command)).to.throw(ArgumentRefused);
  });

  it('finds that no change ever goes without its GPU', () => {
    const gpu = '00000000:07:00.0';
    const changes: readonly SmiCommand[] = [
      { name: 'SetMode', gpu, mode: 'Disabled' },
      { name: 'Reset', gpu },
      { name: 'CreateInstances', gpu, places: [{ profileId: 9, start: 4 }], whole: false },
      { name: 'CreateComputeInstance', gpu, instance: 1, profileId: 0 },
      { name: 'CreateWholeComputeInstance', gpu, instance: 1 },
      { name: 'DestroyComputeInstances', gpu, instances: [1] },
      { name: 'DestroyInstances', gpu, instances: [1] },
    ];
    for (const change of changes) expect(describeCommand(change)).to.include(`-i ${gpu}`);
  });
});
