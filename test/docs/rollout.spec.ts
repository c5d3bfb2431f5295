import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { codeEndings, endings } from '../../src/core/node/grants.ts';
import { KubeletError } from '../../src/core/device/grants.ts';

/** `| \`REASON\`, \`REASON\` | yes | because |` */
const row = /^\| (?<reasons>`\w+`(?:, `\w+`)*) \| (?<counts>yes|no) \| (?<why>[^|]+) \|$/;

describe('docs/rollout.md', () => {
  it('says of each reason with which a change may end whether it counts as a failure, and why', async () => {
    const page = await readFile('docs/rollout.md', 'utf8');
    const [, section = ''] = page.split(/^## Failures$/m);
    const told = section.split('\n').flatMap((line) => {
      const { reasons, counts, why } = row.exec(line)?.groups ?? {};
      const names = reasons?.replaceAll('`', '').split(', ') ?? [];
      return names.map((reason) => [reason, { counts: counts === 'yes', why }] as const);
    });
    const ends = Object.entries(endings).filter(([, ending]) => ending !== undefined);
    expect(Object.fromEntries(told)).to.deep.equal(Object.fromEntries(ends));
    expect(told).to.have.length(ends.length);
  });

  it('says which codes of the agent do not count at once, and why', async () => {
    const page = await readFile('docs/rollout.md', 'utf8');
    const rows = [
      ...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (never|if the next attempt fails too) \| ([^|]+) \|$/gm),
    ];
    const told = rows.flatMap(([, codes = '', counts, why]) =>
      codes
        .replaceAll('`', '')
        .split(', ')
        .map((code) => [code, { counts: counts === 'never' ? 'Never' : 'Repeated', why }] as const),
    );
    expect(Object.fromEntries(told)).to.deep.equal(codeEndings);
    const known = [...DeviceError.codes, ...KubeletError.codes, 'PlanChanged', 'Stale'];
    expect(known).to.include.members(Object.keys(codeEndings));
  });
});
