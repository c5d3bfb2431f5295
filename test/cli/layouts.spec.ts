import { expect } from 'chai';

import { jsonRunner, run } from './run.ts';

type Layouts = readonly Readonly<Record<string, number>>[];

const runJson = jsonRunner<Layouts>();

describe('gpu-partition layouts', () => {
  it('lists the layouts of a model as objects of profile and count', async () => {
    const { code, answer } = await runJson(['layouts', 'a100-40gb']);
    expect(code).to.equal(0);
    expect(answer).to.have.length(127);
    expect(answer).to.deep.include({ '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 });
  });

  it('narrows them to maximal ones and to plain profiles', async () => {
    expect((await runJson(['layouts', 'a100-40gb', '--maximal'])).answer).to.have.length(44);
    expect((await runJson(['layouts', 'a100-40gb', '--base'])).answer).to.have.length(37);
    expect((await runJson(['layouts', 'a100-40gb', '--base', '--maximal'])).answer).to.have.length(12);
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
