import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { aStatus, errorLine, refusal, type RequestFault } from '../support/fault.ts';
import { Injector, type EventFault, type Match } from '../support/injection.ts';
import { eventually } from '../support/eventually.ts';
import { readEndState } from '../support/end-state.ts';
import { useRig } from '../support/rig.ts';
import type { FaultProxy } from '../support/fault-proxy.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];

/** One instance is in both, so that a fault that makes a program forget what to keep is seen. */
const layouts = {
  a: { '3g.20gb': 1, '2g.10gb': 1 },
  b: { '3g.20gb': 1, '1g.5gb': 2 },
} as const;
type Name = keyof typeof layouts;
const texts = { a: '1 GPU: 1×2g.10gb + 1×3g.20gb', b: '1 GPU: 2×1g.5gb + 1×3g.20gb' } as const;

const controller = 'controller-0';
const agent = 'n';
const policies = 'gpupartitionpolicies';
const partitions = 'gpunodepartitions';
const wish: Match = { verb: 'patch', resource: partitions };
const grant: Match = { ...wish, after: 1 };
const nodeStatus: Match = { verb: 'patch', resource: `${partitions}/status` };
const policyStatus: Match = { verb: 'patch', resource: `${policies}/status` };
const taint: Match = { verb: 'patch', resource: 'nodes' };
const opening: Match = { ...taint, after: 1 };
const podList: Match = { verb: 'list', resource: 'pods' };
const lease: Match = { verb: 'update', resource: 'leases' };
/** What an agent asks for right before it destroys. */
const lastLook: Match = { verb: 'get', resource: partitions };

const conflict = refusal(409, 'Conflict');
const throttled = refusal(429, 'TooManyRequests', 1);
const broken = refusal(500, 'InternalError');
const unavailable = refusal(503, 'ServiceUnavailable');
const timeout = refusal(504, 'Timeout');
const lost: RequestFault = { reset: 'after' };
const cut: RequestFault = { reset: 'before' };
/** Is noticed by the time that a request may take. */
const unanswered: RequestFault = { drop: 'after' };

const requestFaults: readonly (readonly [what: string, program: string, match: Match, fault: RequestFault])[] = [
  ['the wish meets a conflict', controller, wish, conflict],
  ['the connection is reset before the wish is taken', controller, wish, cut],
  ['the answer to the wish is lost', controller, wish, lost],
  ['the answer to the wish is cut in the middle', controller, wish, { reset: 'body' }],
  ['the grant meets a conflict', controller, grant, conflict],
  ['the answer to the grant is lost', controller, grant, lost],
  ['the grant fails on the server', controller, grant, broken],
  ['the grant comes late', controller, grant, { delay: 'before', ms: 700 }],
  ['the grant is sent twice on the way', controller, grant, { repeat: true }],
  ['the taint is refused for overload', controller, taint, throttled],
  ['the answer to the taint is lost', controller, taint, lost],
  ['the taint is sent twice on the way', controller, taint, { repeat: true }],
  ['the answer to the taint never comes', controller, taint, unanswered],
  ['the answer to the opening of the node is lost', controller, opening, lost],
  ['the pods cannot be listed', controller, podList, unavailable],
  ['the list of pods is cut in the middle', controller, podList, { reset: 'body' }],
  ['the answer to the status of the node is lost', controller, nodeStatus, lost],
  ['the status of the node takes too long', controller, nodeStatus, timeout],
  ['the status of the policy meets a conflict', controller, policyStatus, conflict],
  ['the answer to the renewed lease is lost', controller, lease, lost],
  ['the answer to the report is lost', agent, nodeStatus, lost],
  ['the report is refused for overload', agent, nodeStatus, throttled],
  ['the report after the change fails on the server', agent, { ...nodeStatus, after: 1 }, broken],
  ['the last look before the first destroy fails', agent, lastLook, unavailable],
  ['the last look before the first destroy comes late', agent, lastLook, { delay: 'after', ms: 700 }],
  ['the last look before the first destroy is never answered', agent, lastLook, { drop: 'before' }],
];

/** Takes so many events of a watch. */
function first(count: number, change: EventFault): EventFault {
  let rest = count;
  return (event, line) => (event.type === 'BOOKMARK' || rest-- <= 0 ? undefined : change(event, line));
}

const eventFaults: readonly (readonly [what: string, program: string, resource: string, change: () => EventFault])[] = [
  ['events of the partition come twice', controller, partitions, () => (_, line) => ({ send: [line, line] })],
  ['the echo of its own wish never comes', controller, partitions, () => first(1, () => ({ send: [] }))],
  [
    'the watch of partitions ends in an error and stays open',
    controller,
    partitions,
    () => first(1, () => ({ send: [errorLine(aStatus(500, 'InternalError'))] })),
  ],
  [
    'the watch of nodes has expired',
    controller,
    'nodes',
    () => first(1, () => ({ send: [errorLine(aStatus(410, 'Expired'))] })),
  ],
  [
    'the watch of policies ends in the middle of an event',
    controller,
    policies,
    () => first(1, (_, line) => ({ send: [line.slice(0, 100)], end: true })),
  ],
  ['events of its partition come twice', agent, partitions, () => (_, line) => ({ send: [line, line] })],
  ['its watch has expired', agent, partitions, () => first(1, () => ({ send: [errorLine(aStatus(410, 'Expired'))] }))],
];

describe('a fault between a program and the API server @all', function () {
  const rig = useRig(nodes, { proxied: [controller, agent] });
  const injectors = new Map<string, Injector>();
  /** How a change ends that nobody disturbs. */
  const usual = new Map<Name, unknown>();
  let current: Name = 'a';

  /** Makes the change to the other layout. @returns what it has come to */
  async function change(): Promise<unknown> {
    const before = await destroyed();
    current = current === 'a' ? 'b' : 'a';
    const profiles = layouts[current];
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 40_000);
    // The policy is Ready by what was found; a status of the node that was refused is written again a little later.
    await eventually(
      () => rig().partition('n'),
      ({ status }) => status?.layout === texts[current] && status.phase === 'Ready',
      { timeoutMs: 15_000, what: 'the status of the node' },
    );
    return { ...(await readEndState(rig(), 'n')), destroyed: (await destroyed()) - before };
  }

  const destroyed = async (): Promise<number> =>
    (await rig().rig.deviceOperations('n')).filter((argv) => argv.includes('-dgi')).length;

  function injectorOf(program: string): Injector {
    const injector = injectors.get(program);
    if (injector === undefined) throw new Error(`no injector for ${program}`);
    return injector;
  }

  async function expectUsualEnd(program: string): Promise<void> {
    const result = await change();
    // A lease is renewed every few seconds, and a change may be done before.
    await eventually(
      () => injectorOf(program).count,
      (count) => count > 0,
      { timeoutMs: 15_000, what: 'the number of faults made' },
    );
    injectorOf(program).clear();
    expect(result).to.deep.equal(usual.get(current));
  }

  before(async function () {
    for (const program of [controller, agent]) {
      const injector = new Injector();
      const proxy: FaultProxy = rig().proxy(program);
      injectors.set(program, injector);
      proxy.rule = injector.rule;
      const before = proxy.requests.length;
      proxy.reset();
      const watches = (): number => proxy.requests.slice(before).filter(({ verb }) => verb === 'watch').length;
      await eventually(watches, (count) => count >= (program === controller ? 3 : 1), { timeoutMs: 15_000 });
    }
    await change();
    for (const _ of Object.keys(layouts)) {
      const result = await change();
      usual.set(current, result);
    }
  });

  for (const [what, program, match, fault] of requestFaults) {
    it(`has no part in the end: ${what} (${program === agent ? 'agent' : 'controller'})`, async () => {
      injectorOf(program).inject(match, fault);
      await expectUsualEnd(program);
    });
  }

  for (const [what, program, resource, faultOf] of eventFaults) {
    it(`has no part in the end: ${what} (${program === agent ? 'agent' : 'controller'})`, async () => {
      injectorOf(program).injectEvents(resource, faultOf());
      await expectUsualEnd(program);
    });
  }
});
