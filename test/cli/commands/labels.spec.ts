import { expect } from 'chai';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import fc from 'fast-check';
import { parseNodeDescription } from '../../../src/cli/commands/labels.ts';
import { MIG_STRATEGIES } from '../../../src/core/nvidia/labels.ts';
import { predictNode } from '../../../src/core/nvidia/predict.ts';
import { aGpu, aMigGpu, aNode, SLICES } from '../../core/nvidia/node-builder.ts';
import { writeFile } from 'node:fs/promises';
import { readVectors } from '../../core/nvidia/label-fixtures.ts';
import { run } from '../run.ts';

describe('parseNodeDescription', () => {
  it('takes a node with slices unchanged', () => {
    const node = aNode([aMigGpu([SLICES['1g+me'], SLICES['1c.3g']]), aGpu()]);
    expect(parseNodeDescription(JSON.parse(JSON.stringify(node)))).to.deep.equal({ ok: true, node });
  });

  it('takes a GPU out of MIG mode without a list of slices, and a node without machine', () => {
    const { migDevices: _, ...gpu } = aGpu();
    const { machine: __, ...node } = aNode([]);
    const parsed = parseNodeDescription({ ...node, gpus: [gpu] });
    expect(parsed).to.deep.equal({ ok: true, node: { ...node, gpus: [aGpu()] } });
  });

  it('names every wrong field by its path', () => {
    const { name: _, ...gpu } = aGpu();
    const device = { profile: '1g', attributes: { ...SLICES['1g'].attributes, 'slices.gi': '1' } };
    const problems = problemsOf({
      driverVersion: 550,
      cudaDriverVersion: [12],
      gpus: [
        { ...gpu, memoryMiB: -1, migEnabled: true, migDevices: [device], uuid: 'GPU-1' },
        aGpu({ migCapable: false, migEnabled: true, pciClass: '302' }),
        aGpu({ migDevices: [SLICES['1g']] }),
        'A100',
      ],
    });
    expect(problems).to.have.members([
      'driverVersion must be a string, but is 550',
      'cudaDriverVersion must be two whole numbers [major, minor], but is a list of 1',
      'gpus[0].name must be a string, but is missing',
      'gpus[0].memoryMiB must be a whole number, 0 or more, but is -1',
      'gpus[0].uuid is not a known field; known: name, memoryMiB, computeCapability, migCapable, migEnabled, pciClass, migDevices',
      'gpus[0].migDevices[0].profile must look like 1g.5gb or 1g.10gb+me, but is "1g"',
      'gpus[0].migDevices[0].attributes["slices.gi"] must be a whole number, 0 or more, but is "1"',
      'gpus[1].migEnabled must be false where migCapable is false',
      'gpus[1].pciClass must look like 0x030200, but is "302"',
      'gpus[2].migDevices must be empty where migEnabled is false, but has 1',
      'gpus[3] must be an object, but is "A100"',
    ]);
  });

  it('says of input of another kind what it is', () => {
    expect(problemsOf([aNode([])])).to.deep.equal(['$ must be an object, but is a list of 1']);
    expect(problemsOf(null)).to.deep.equal(['$ must be an object, but is null']);
    expect(problemsOf(undefined)).to.deep.equal(['$ must be an object, but is missing']);
  });

  it('says of a field once that it is wrong, however many rules it breaks', () => {
    expect(problemsOf(aNode([aGpu({ memoryMiB: -1.5 })]))).to.deep.equal([
      'gpus[0].memoryMiB must be a whole number, 0 or more, but is -1.5',
    ]);
  });

  it('does not take an empty text for a version', () => {
    expect(problemsOf({ ...aNode([]), driverVersion: '' })).to.deep.equal([
      'driverVersion must look like 550.54.15, but is ""',
    ]);
  });

  it('reports a slice that is not an object once, and one without attributes as such', () => {
    const gpu = { ...aGpu({ migEnabled: true }), migDevices: ['1g.5gb', { profile: '1g.5gb' }] };
    expect(problemsOf({ ...aNode([]), gpus: [gpu] })).to.deep.equal([
      'gpus[0].migDevices[0] must be an object, but is "1g.5gb"',
      'gpus[0].migDevices[1].attributes must be an object, but is missing',
    ]);
  });

  it('takes or refuses anything without failing itself, and what it takes can be described', () => {
    const gpu = fc.record({
      name: fc.constantFrom('NVIDIA A30', '', 5),
      memoryMiB: fc.constantFrom(24576, 0, null),
      computeCapability: fc.constantFrom([8, 0], [0, 0], 8),
      migCapable: fc.boolean(),
      migEnabled: fc.boolean(),
      migDevices: fc.constantFrom([], [SLICES['1g']], {}),
    });
    const node = fc.record({
      driverVersion: fc.constantFrom('550.54.15', '550'),
      cudaDriverVersion: fc.constant([12, 4]),
      gpus: fc.array(gpu, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), node), fc.constantFrom(...MIG_STRATEGIES), (value, strategy) => {
        const parsed = parseNodeDescription(value);
        if (parsed.ok)
          expect(predictNode(parsed.node, strategy)).to.have.all.keys('labels', 'resources', 'errors', 'warnings');
        else expect(parsed.problems).not.to.deep.equal([]);
      }),
    );
  });
});

function problemsOf(value: unknown): readonly string[] {
  const parsed = parseNodeDescription(value);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path} ${message}`);
}

const mixed = readVectors().find(
  ({ strategy, configFile, expected }) =>
    strategy === 'mixed' && configFile === null && Object.keys(expected.resources ?? {}).length > 1,
);
const node = JSON.stringify(mixed?.node);

describe('gpu-partition labels', () => {
  const folder = useScratchFolder();

  for (const { id, strategy, node: described, configFile, expected } of readVectors()) {
    it(`answers what NVIDIA's tools answered to ${id} under strategy ${strategy}`, async () => {
      const argv = ['labels', '-f', '-', '--strategy', strategy];
      if (configFile !== null) {
        await writeFile(folder.path('config.yaml'), configFile);
        argv.push('--device-plugin-config', 'config.yaml');
      }
      const { code, stdout } = await run(argv, { stdin: JSON.stringify(described), cwd: folder.path() });
      const errors = [expected.configError, expected.gfdError, expected.pluginError].filter(
        (text) => text !== undefined,
      );
      expect(JSON.parse(stdout)).to.deep.equal({
        labels: expected.labels ?? {},
        resources: expected.resources ?? {},
        errors,
      });
      expect(code).to.equal(errors.length > 0 ? 1 : 0);
    });
  }

  it('names every field of the node that is wrong, with code 2', async () => {
    const { code, stdout, stderr } = await run(['labels', '-f', '-', '--strategy', 'mixed'], {
      stdin: '{"driverVersion": 5, "gpus": [{}]}',
    });
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(stderr).to.contain('driverVersion').and.to.contain('gpus[0].name');
  });

  it('warns of sharing without effect on stderr, and leaves stdout to the answer', async () => {
    const config = {
      version: 'v1',
      flags: { migStrategy: 'single' },
      sharing: { timeSlicing: { resources: [{ name: 'nvidia.com/mig-7g.99gb', replicas: 2 }] } },
    };
    await writeFile(folder.path('unused.yaml'), JSON.stringify(config));
    const argv = ['labels', '-f', '-', '--strategy', 'mixed', '--device-plugin-config', 'unused.yaml'];
    const { code, stdout, stderr } = await run(argv, { stdin: node, cwd: folder.path() });
    expect(code).to.equal(0);
    expect(Object.keys(JSON.parse(stdout) as object)).to.deep.equal(['labels', 'resources', 'errors']);
    expect(stderr).to.contain('sharing names nvidia.com/mig-7g.99gb').and.to.contain('flags.migStrategy is single');
  });

  it('answers a file that is not there, or no YAML, with code 2 and its name', async () => {
    expect(
      (await run(['labels', '-f', 'nowhere.json', '--strategy', 'none'], { cwd: folder.path() })).stderr,
    ).to.contain('nowhere.json: there is no such file');
    await writeFile(folder.path('broken.json'), '{"a":\n');
    const { code, stderr } = await run(['labels', '-f', 'broken.json', '--strategy', 'none'], { cwd: folder.path() });
    expect(code).to.equal(2);
    expect(stderr).to.match(/^error: broken\.json:\d+:\d+: neither YAML nor JSON/);
  });

  it('says with the DRA driver what a workload writes for each slice, with the labels of strategy mixed', async () => {
    const { code, stdout, stderr } = await run(['labels', '-f', '-', '--backend', 'DRA'], { stdin: node });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as { labels: object; devices: { deviceClass: string; count: number }[] };
    expect(Object.keys(answer)).to.deep.equal(['labels', 'devices', 'errors']);
    expect(answer.labels).to.deep.equal(mixed?.expected.labels);
    const counts = Object.values(mixed?.expected.resources ?? {}).toSorted((a, b) => a - b);
    expect(answer.devices.map(({ count }) => count).toSorted((a, b) => a - b)).to.deep.equal(counts);
    const text = (await run(['labels', '-f', '-', '--backend', 'DRA', '-o', 'text'], { stdin: node })).stdout;
    for (const { deviceClass } of answer.devices) {
      expect(text).to.contain(`, DeviceClass ${deviceClass}\n`);
      expect(text).to.match(new RegExp(`^ +deviceClassName: ${deviceClass}$`, 'm'));
    }
    expect(text).to.match(/^ {2}resources: \{limits: \{nvidia\.com\/mig-\S+: 1\}\}$/m);
  });

  it('refuses with the DRA driver what only the device plugin has, and asks for a strategy with the latter', async () => {
    const tell = async (...argv: readonly string[]) => {
      const { code, stderr } = await run(['labels', '-f', '-', ...argv], { stdin: node });
      return `${code} ${stderr}`;
    };
    expect(await tell('--backend', 'DRA', '--strategy', 'single')).to.match(
      /^2 error: .*--strategy single does not go/,
    );
    expect(await tell('--backend', 'DRA', '--device-plugin-config', 'c')).to.match(
      /^2 error: --device-plugin-config is for/,
    );
    expect(await tell()).to.equal('2 error: --strategy is required: none, single, mixed\n');
  });

  it('prints labels and resources as lines for people', async () => {
    const { stdout } = await run(['labels', '-f', '-', '--strategy', 'mixed', '-o', 'text'], { stdin: node });
    expect(stdout)
      .to.contain('label nvidia.com/mig.strategy=mixed\n')
      .and.to.match(/^resource nvidia\.com\/mig-\S+: \d+$/m);
  });
});
