import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { userKey } from '../../../src/core/gpu/device-state.ts';
import { viewFleet, viewPage } from '../../../src/core/view/fleet.ts';
import { type Line, plainText } from '../../../src/core/view/lines.ts';
import { fitLine } from '../../../src/cli/terminal.ts';
import { viewNodeStatus } from '../../../src/core/view/node.ts';
import { drawWaste } from '../../../src/cli/commands/report.ts';
import { reportWaste } from '../../../src/core/explain/waste.ts';
import { fixtures } from '../../cli/run.ts';
import { aGpu, withClaims } from '../../support/builders.ts';
import { aCluster } from '../kubernetes/cluster-builder.ts';
import { wastefulDay } from '../explain/waste-stories.ts';
import {
  drawStatus,
  aStatusNode,
  changingNode,
  fleet,
  policies,
  readyNode,
  storyTime,
  drawNode,
} from './status-stories.ts';

const widths = [80, 120, 200];
const screens: Readonly<Record<string, (columns: number) => readonly Line[]>> = {
  fleet: (columns) => drawStatus(policies, fleet, { columns, now: storyTime }),
  'fleet-wide': (columns) => drawStatus(policies, fleet, { columns, now: storyTime, isWide: true }),
  'node-changing': (columns) => drawNode(changingNode, columns),
  waste: (columns) => drawWaste(reportWaste(wastefulDay), columns),
  'waste-now': (columns) => drawWaste(reportWaste(wastefulDay.slice(-1)), columns),
  'waste-none': (columns) => drawWaste(reportWaste([aCluster([])]), columns),
  'node-ready': (columns) => drawNode(readyNode, columns),
};

/** A screen as it was looked at and found good; GOLDEN=1 rewrites it. */
async function expectGolden(name: string, text: string): Promise<void> {
  const file = `${fixtures}status/${name}.txt`;
  if (process.env['GOLDEN'] !== undefined) await writeFile(file, text);
  expect(text).to.equal(await readFile(file, 'utf8'));
}

describe('the pictures of gpu-partition status and report', () => {
  for (const [name, draw] of Object.entries(screens)) {
    for (const columns of widths) {
      it(`draw ${name} on ${columns} columns`, async () => {
        const lines = draw(columns).map((line) => plainText(fitLine(line, columns)));
        for (const line of lines) expect(Array.from(line).length, line).to.be.at.most(columns);
        await expectGolden(`${name}-${columns}`, `${lines.join('\n')}\n`);
      });
    }
  }

  it('keep within the columns of any terminal', () => {
    for (let columns = 40; columns < 60; columns += 1) {
      for (const draw of Object.values(screens)) {
        for (const line of draw(columns)) {
          expect(Array.from(plainText(fitLine(line, columns))).length).to.be.at.most(columns);
        }
      }
    }
  });

  it('say in the data what goes, what comes and who is in the way', () => {
    const { gpus, plan } = viewNodeStatus(changingNode);
    expect(plan?.pods).to.deep.equal(['team/train-0']);
    const busy = gpus.find(({ index }) => index === 2);
    expect(busy?.now?.filter(({ state }) => state === 'going').map(({ profile }) => profile)).to.deep.equal([
      '2g.10gb',
    ]);
    expect(busy?.after).to.have.nested.property('slices').with.lengthOf(4);
  });

  it('name the claims by which pods have a slice, and those whose slice must go', () => {
    const gpu = withClaims(aGpu({ slices: ['1g.5gb@0', '3g.20gb@4'] }), {
      '1g.5gb@0': { 'team/small-gpu': 'team/small' },
      '3g.20gb@4': { 'team/train-0-gpu': 'team/train-0' },
    });
    const whole = aGpu({ index: 1, product: 'Tesla T4', migCapable: false, pods: ['team/r'], claims: ['team/r-gpu'] });
    const node = aStatusNode({ name: 'claims', phase: 'Updating', gpus: [gpu, whole], wish: { '1g.5gb': 7 } });
    const { status } = node;
    const { device } = status ?? {};
    if (!device?.plan) throw new Error('the node has no plan');
    const plan = { ...device.plan, drains: [userKey(gpu.uuid, { profile: '3g.20gb', start: 4 })] };
    const planned = { ...node, status: { ...status, device: { ...device, plan } } };
    expect(viewNodeStatus(planned).plan?.claims).to.deep.equal(['team/train-0-gpu']);
    const text = drawNode(planned, 200).map(plainText).join('\n');
    expect(text).to.contain('pods to evict: team/train-0; their claims: team/train-0-gpu');
    expect(text).to.contain('1g.5gb at 0: team/small by claim team/small-gpu');
    expect(text).to.contain('no MIG: whole GPU, held by team/r by claim team/r-gpu');
    const [onPage] = viewPage([], [planned], { source: { files: [] }, poolOf: () => '' }, storyTime).nodes;
    expect(onPage?.plan?.claims).to.deep.equal(['team/train-0-gpu']);
    expect(onPage?.gpus.map((one) => [one.claims, one.now?.map(({ claims }) => claims)])).to.deep.equal([
      [[], [['team/small-gpu'], ['team/train-0-gpu']]],
      [['team/r-gpu'], undefined],
    ]);
  });

  it('say what of a demand is offered: all of it of one policy, and of the fleet what is unmet', () => {
    const demand = [
      { name: 'small', wanted: 40, offered: 36, used: 30, waiting: 2, unmet: 4, why: 'every other GPU is in use' },
      { name: 'large', wanted: 2, offered: 2, used: 1, unmet: 0 },
    ];
    const [first, ...others] = policies;
    if (!first) throw new Error('no policy');
    const all = [{ ...first, status: { ...first.status, demand } }, ...others];
    const { name } = first.metadata;
    const tell = (policy?: string): readonly string[] =>
      drawStatus(all, fleet, { columns: 200, now: storyTime, policy })
        .map(plainText)
        .filter((line) => line.startsWith(`${name} wants `));
    const small = `${name} wants small: 36 of 40 offered, 30 in use, 2 requested by waiting pods; 4 unmet: every other GPU is in use`;
    expect(tell()).to.deep.equal([small]);
    expect(tell(name)).to.deep.equal([small, `${name} wants large: 2 of 2 offered, 1 in use`]);
    expect(viewFleet(all, fleet, storyTime, name).policies[0]?.demand).to.have.length(2);
  });

  it('say what a driver says of a GPU that is not well', () => {
    const sick = aGpu({ slices: ['7g.40gb@0'], health: { action: 'Reboot', message: 'the driver asks for a reboot' } });
    const text = drawNode(aStatusNode({ name: 'n', gpus: [sick] }), 80).map(plainText);
    expect(text).to.include('GPU 0  A100-SXM4-40GB  the driver asks for a reboot');
  });

  it('tell the steps of the last change, and the newest Events', () => {
    const event = { at: '2026-01-01T12:00:30Z', reason: 'Draining', message: 'will evict', isWarning: false, count: 1 };
    const timeline = [
      { step: 'asked' as const, at: '2026-01-01T12:00:00Z', seconds: undefined },
      { step: 'granted' as const, at: '2026-01-01T12:02:00Z', seconds: 120 },
    ];
    const text = drawNode(changingNode, 80, { timeline, events: [event] }).map(plainText);
    expect(text).to.include('  change   asked 2026-01-01T12:00:00Z, granted 12:02:00 (+2 min)');
    expect(text.at(-1)).to.equal('  event    2026-01-01T12:00:30Z Draining: will evict');
  });

  it('show a GPU whose MIG mode goes', () => {
    const off = aStatusNode({ name: 'n', phase: 'Pending', gpus: [aGpu({ slices: ['7g.40gb@0'] })], wish: 'Disabled' });
    const text = drawNode(off, 80).map(plainText).join('\n');
    expect(text)
      .to.match(/now +\|7g\.40gb- +\|/)
      .and.to.match(/then +\| +MIG off: whole GPU +\|/);
  });

  it('show phases and reasons that they do not know as they are', () => {
    const { phases } = viewFleet([], [aStatusNode({ name: 'n', phase: 'Pending', reason: 'SomethingNew' })], storyTime);
    expect(phases).to.deep.equal([
      { phase: 'Pending', count: 1, reasons: [{ reason: 'SomethingNew', count: 1, nodes: ['n'] }] },
    ]);
  });

  it('name the nodes that need somebody first, and count those that do not fit', () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      aStatusNode({ name: `n-${at}`, phase: at === 29 ? 'Failed' : 'Ready' }),
    );
    const lines = drawStatus([], many, { columns: 80, now: storyTime }).map(plainText);
    expect(lines.find((line) => line.startsWith('n-'))).to.contain('Failed');
    expect(lines.at(-1)).to.equal('and 10 more nodes; -o wide shows all');
  });

  it('say of a node without a status that nothing is known, in the fleet and of the node', () => {
    const { status: _status, ...bare } = aStatusNode({ name: 'n' });
    for (const lines of [drawStatus([], [bare], { columns: 200, now: storyTime }), drawNode(bare, 200)])
      expect(lines.map(plainText).join('\n')).to.contain('AgentNotReporting: nothing is known yet');
  });

  it('say so where there is nothing', () => {
    const lines = drawStatus([], [], { columns: 80, now: storyTime }).map(plainText);
    expect(lines[0]).to.equal('no policy');
    expect(lines.at(-1)).to.contain('no GPU node');
  });
});
