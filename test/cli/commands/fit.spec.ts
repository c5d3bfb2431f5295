import { expect } from 'chai';
import fc from 'fast-check';
import type { FitAnswer } from '../../../src/cli/commands/fit.ts';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { enumerateLayouts } from '../../../src/core/gpu/layouts.ts';
import { jsonRunner, run } from '../run.ts';

const runJson = jsonRunner<FitAnswer>();
const fit = (model: string, want: unknown, ...rest: readonly string[]) =>
  runJson(['fit', '--model', model, '--want', JSON.stringify(want), ...rest]);

describe('gpu-partition fit', () => {
  it('says where each slice goes', async () => {
    const { code, answer } = await fit('a100-40gb', { '7g.40gb': 1 });
    expect(code).to.equal(0);
    const place = { profile: '7g.40gb', start: 0, size: 8 };
    expect(answer).to.deep.equal({
      fits: true,
      placements: [place],
      destroy: [],
      create: [place],
      keep: [],
      reason: '',
      alternatives: [],
    });
  });

  it('says with numbers why not, and what would fit', async () => {
    const { code, answer } = await fit('A100-SXM4-40GB', { '3g.20gb': 2, '1g.5gb': 1 });
    expect(code).to.equal(1);
    expect(answer.fits).to.equal(false);
    expect(answer.reason).to.contain('needs 9 of 8 memory slices');
    expect(answer.alternatives).to.not.be.empty;
    for (const alternative of answer.alternatives) expect((await fit('a100-40gb', alternative)).code).to.equal(0);
  });

  it('keeps what is there where it can, and destroys the least', async () => {
    const have = [
      { profile: '1g.5gb', start: 4, busy: true },
      { profile: '1g.5gb', start: 5, busy: false },
      { profile: '2g.10gb', start: 0 },
    ];
    const { code, answer } = await fit('a100-40gb', { '1g.5gb': 2, '3g.20gb': 1 }, '--have', JSON.stringify(have));
    expect(code).to.equal(0);
    expect(answer.keep).to.deep.equal([
      { profile: '1g.5gb', start: 4, size: 1 },
      { profile: '1g.5gb', start: 5, size: 1 },
    ]);
    expect(answer.destroy).to.deep.equal([{ profile: '2g.10gb', start: 0, size: 2 }]);
    expect(answer.create).to.deep.equal([{ profile: '3g.20gb', start: 0, size: 4 }]);
  });

  it('refuses to destroy a busy instance where it is told to', async () => {
    const have = JSON.stringify([{ profile: '1g.5gb', start: 0, busy: true }]);
    expect((await fit('a100-40gb', { '7g.40gb': 1 }, '--have', have)).answer.destroy).to.have.length(1);
    const kept = await fit('a100-40gb', { '7g.40gb': 1 }, '--have', have, '--keep-busy');
    expect(kept.code).to.equal(1);
    expect(kept.answer.reason).to.contain('1g.5gb at 0');
  });

  it('shows compute instances only where an instance is cut into several', async () => {
    const { answer } = await fit('a100-40gb', { '1c.3g.20gb': 3 });
    expect(answer.placements[0]?.computeInstances).to.deep.equal(['1c.3g.20gb', '1c.3g.20gb', '1c.3g.20gb']);
    expect((await fit('a30', { '4g.24gb': 1 })).answer.placements[0]).to.not.have.property('computeInstances');
  });

  it('does not invent placements that are not published', async () => {
    const { answer } = await fit('thor-igpu', { '1g.0gb': 1 });
    expect(answer.placements).to.deep.equal([{ profile: '1g.0gb', start: null, size: null }]);
  });

  it('takes every layout that it lists itself, without overlap', async () => {
    const cases = MODELS.flatMap((model) =>
      enumerateLayouts(model, { maximal: true }).map((layout) => ({ model, layout })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cases), async ({ model, layout }) => {
        const { code, answer } = await fit(model.id, layout);
        expect(code).to.equal(0);
        const taken = answer.placements.flatMap(({ start, size }) =>
          Array.from({ length: size ?? 0 }, (_, unit) => (start ?? 0) + unit),
        );
        expect(new Set(taken).size).to.equal(taken.length);
        expect(answer.placements).to.have.length(Object.values(layout).reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 100 },
    );
  });

  it('answers a question that makes no sense with code 2 and the option that is wrong', async () => {
    const questions: readonly (readonly [string, readonly string[]])[] = [
      ['--want is not valid JSON', ['--want', '{']],
      ['--want must be an object', ['--want', '[]']],
      ['--want: 1g.5gb: 0', ['--want', '{"1g.5gb":0}']],
      ['--want: 1g.5gb: "2"', ['--want', '{"1g.5gb":"2"}']],
      ['--want: the key 1g.5gb is given twice', ['--want', '{"1g.5gb":1,"3g.20gb":1,"1g.5gb":7}']],
      [
        '--have: the key start is given twice',
        ['--want', '{}', '--have', '[{"profile":"1g.5gb","start":0,"start":1}]'],
      ],
      ['--have must be a list', ['--want', '{}', '--have', '{}']],
      ['--have[0].start', ['--want', '{}', '--have', '[{"profile":"1g.5gb"}]']],
      ['a 1g.5gb of a100-40gb cannot start at 9', ['--want', '{}', '--have', '[{"profile":"1g.5gb","start":9}]']],
      ['cannot start at 1; it starts at 0, 2, 4', ['--want', '{}', '--have', '[{"profile":"2g.10gb","start":1}]']],
      ['--have[0].bussy is not', ['--want', '{}', '--have', '[{"profile":"1g.5gb","start":0,"bussy":true}]']],
      ['overlap', ['--want', '{}', '--have', '[{"profile":"1g.5gb","start":0},{"profile":"7g.40gb","start":0}]']],
    ];
    for (const [words, argv] of questions) {
      const { code, stdout, stderr } = await run(['fit', '--model', 'a100-40gb', ...argv]);
      expect({ code, stdout }, words).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.contain(words);
    }
  });

  it('names the models that an unknown name may mean', async () => {
    const { code, stderr } = await run(['fit', '--model', 'a100', '--want', '{}']);
    expect(code).to.equal(2);
    expect(stderr).to.contain('a100-40gb').and.to.contain('a100-80gb');
    expect((await run(['fit', '--model', 'h10-80gb-sxm', '--want', '{}'])).stderr).to.contain('h100-80gb-sxm');
    const shared = await run(['fit', '--model', 'a800', '--want', '{}']);
    expect(shared.stderr).to.contain('several boards have that name, and differ; write a100-40gb or a100-80gb\n');
    expect((await run(['fit', '--model', 'zzzzzzzz', '--want', '{}'])).stderr).to.contain('known models are');
  });

  it('says of a GPU without MIG that it has none, and how pods can share it', async () => {
    for (const model of ['A10', 'NVIDIA A10G', 'L40S', 'tesla t4', 'V100'])
      for (const argv of [
        ['fit', '--model', model, '--want', '{}'],
        ['layouts', model],
      ]) {
        const { code, stderr } = await run(argv);
        expect(code).to.equal(2);
        expect(stderr)
          .to.contain(`"${model}" has no MIG`)
          .and.to.contain('time-slicing')
          .and.not.to.contain('did you mean');
      }
  });

  it('draws the GPU before and after for people', async () => {
    const have = '[{"profile":"1g.5gb","start":6,"busy":true}]';
    const { stdout } = await run(['fit', '--model', 'a100-40gb', '--want', '{"1g.5gb":1,"4g.20gb":1}', '--have', have]);
    expect(stdout).to.match(/^now {3}\|.*1g\.5gb\* \|.*\nthen {2}\|4g\.20gb .*1g\.5gb\* \|.*\nfits: /);
    expect(stdout).to.contain('keep: 1g.5gb at 6 (busy)');
  });
});

type Layouts = readonly Readonly<Record<string, number>>[];

const runJsonOfLayouts = jsonRunner<Layouts>();

describe('gpu-partition layouts', () => {
  it('lists the layouts of a model as objects of profile and count', async () => {
    const { code, answer } = await runJsonOfLayouts(['layouts', 'a100-40gb']);
    expect(code).to.equal(0);
    expect(answer).to.have.length(127);
    expect(answer).to.deep.include({ '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 });
  });

  it('narrows them to maximal ones and to plain profiles', async () => {
    expect((await runJsonOfLayouts(['layouts', 'a100-40gb', '--maximal'])).answer).to.have.length(44);
    expect((await runJsonOfLayouts(['layouts', 'a100-40gb', '--base'])).answer).to.have.length(37);
    expect((await runJsonOfLayouts(['layouts', 'a100-40gb', '--base', '--maximal'])).answer).to.have.length(12);
  });

  it('draws each layout for people, one a line', async () => {
    const { stdout } = await run(['layouts', 'A30', '--maximal', '--base']);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).to.equal('a30-24gb: 4 maximal layouts of plain profiles');
    expect(lines.slice(1)).to.have.length(4);
    for (const line of lines.slice(1)) expect(line).to.match(/^\|[^.].{69}[^.]\| \d×\dg\./);
  });

  it('lists layouts of a GPU without published placements by words', async () => {
    expect((await run(['layouts', 'thor-igpu'])).stdout).to.contain('1×1g.0gb');
  });
});
