import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { nodeReasons, policyReasons } from '../../src/api/names.ts';
import { findingCodes } from '../../src/core/text/words.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { KubeletError } from '../../src/core/device/grants.ts';
import { pageText } from '../../src/ui/page-text.ts';

describe('docs/errors.md', () => {
  it('explains every reason and every code, each in its table', async () => {
    const page = await readFile('docs/errors.md', 'utf8');
    const sections = page.split(/^## /m).slice(1);
    const named = (section: number) => [...(sections[section] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, word]) => word);
    expect(named(0)).to.have.members([...policyReasons]);
    expect(named(1)).to.have.members([...nodeReasons]);
    const cells = [...(sections[3] ?? '').matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = '']) => cell);
    expect(cells.flatMap((cell) => cell.replaceAll('`', '').split(', '))).to.have.members([...findingCodes]);
    expect(named(2)).to.include.members([...DeviceError.codes, ...KubeletError.codes]);
  });

  it('is what the fleet page says of a reason, with what the runbook adds', () => {
    const rows = /"Drifting":"([^"]*)"/.exec(pageText)?.[1];
    expect(rows).to.match(/^something else changed the layout .* What to do: find what changes the GPUs/);
  });

  for (const [phase, alert] of [
    ['Failed', 'GpuPartitionNodesFailed'],
    ['Waiting', 'GpuPartitionNodesWaiting'],
  ] as const) {
    it(`says what to do about each reason that leaves a node ${phase}`, async () => {
      const page = await readFile('docs/errors.md', 'utf8');
      const rows = [...(page.split(/^## /m)[2] ?? '').matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)];
      const reasons = rows
        .filter(([, , phases = '']) => phases.split(', ').includes(phase))
        .map(([, reason = '']) => reason);
      expect(reasons).to.include(phase === 'Failed' ? 'Resting' : 'DrainLoop');
      const runbook = new RegExp(`^### ${alert}\n([^]*?)^### `, 'm').exec(page)?.[1] ?? '';
      const cells = [...runbook.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
      expect(cells).to.include.members(reasons);
    });
  }
});
