import { expect } from 'chai';
import fc from 'fast-check';

import { changingLabelKeys, changingLabelPrefixes } from '../../src/api/label-keys.ts';
import type { ApiClient } from '../../src/simulator/control-plane/access.ts';
import type { FindingCode } from '../../src/core/text/words.ts';
import { validatePolicy } from '../../src/core/policy/check.ts';
import { aPolicyObject, badMetadata, goodMetadata } from '../core/policy/policy-cases.ts';
import { useSharedCluster } from '../support/cluster.ts';
import {
  fullDemandSpec,
  fullScheduleSpec,
  fullSpec,
  listMutations,
  mutate,
  readPolicySchema,
} from './policy-mutations.ts';

const path = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies?dryRun=All&fieldValidation=Strict';

/** What the API server cannot know: geometry, the rules of the device plugin, what this version does not honour. */
const ours: readonly FindingCode[] = ['UnknownProfile', 'UnknownPreset', 'DoesNotFit', 'SharingRefused', 'BadWindow'];

/** FUZZ_SEED repeats a run, FUZZ_GROUPS=3000 makes a long one. */
const seed = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const groups = Number(process.env['FUZZ_GROUPS'] ?? 300);

interface Verdict {
  readonly isTaken: boolean;
  readonly words: string;
}

describe('validatePolicy beside the API server @all', function () {
  const cluster = useSharedCluster();

  /** Asks both; a line for each policy that one takes and the other refuses. */
  async function compare(policies: readonly (readonly [what: string, policy: object])[]): Promise<string> {
    const waiting = [...policies];
    const differ: string[] = [];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [what, policy] = next;
        const [server, we] = [await askServer(cluster().client, policy), askOurselves(policy)];
        if (server.isTaken !== we.isTaken) differ.push(`${what}: server ${server.words}, we ${we.words}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return differ.join('\n');
  }

  for (const [what, spec] of Object.entries({
    layouts: fullSpec,
    'a demand': fullDemandSpec,
    schedules: fullScheduleSpec,
  }))
    it(`agrees on changes of one field that the schema suggests, and on groups of them, of a policy with ${what}`, async () => {
      const policy = { ...aPolicyObject(), spec };
      const single = listMutations(readPolicySchema(), spec);
      // Two bad changes hide each other: most of a group are good ones.
      const good = single.filter((one) => askOurselves(mutate(policy, [one])).isTaken);
      const group = fc.tuple(
        fc.array(fc.constantFrom(...good), { minLength: 1, maxLength: 4 }),
        fc.option(fc.constantFrom(...single)),
      );
      const several = fc
        .sample(group, { seed, numRuns: groups })
        .map(([taken, any]) => (any === null ? taken : [...taken, any]));
      const bad = fc.sample(fc.constantFrom(...single.filter((one) => !good.includes(one))), {
        seed,
        numRuns: 2 * groups,
      });
      const cases = [...[...good, ...bad].map((one) => [one]), ...several].map(
        (mutations) => [JSON.stringify(mutations).slice(0, 400), mutate(policy, mutations)] as const,
      );
      expect(good.length).to.be.above(200);
      expect(await compare(cases), `FUZZ_SEED=${seed}`).to.equal('');
    });

  it('agrees on metadata', async () => {
    const cases = Object.entries({ ...goodMetadata, ...badMetadata }).map(
      ([what, metadata]) => [what, aPolicyObject({ metadata })] as const,
    );
    expect(await compare(cases)).to.equal('');
  });

  it('agrees on what stands beside spec and metadata', async () => {
    const good = aPolicyObject();
    const beside = [
      { status: null },
      { status: 'x' },
      { status: { summary: 5 } },
      { status: { foo: 1 } },
      { status: [] },
      { foo: null },
      { items: [] },
      { Spec: {} },
      { spec: null },
      { spec: 'x' },
      { spec: [] },
      { spec: {} },
      { metadata: null },
      { metadata: [] },
      { metadata: 'x' },
    ];
    const cases = beside.map((change) => [JSON.stringify(change), { ...good, ...change }] as const);
    expect(await compare(cases)).to.equal('');
  });

  it('agrees on every key that a layout changes, and on its neighbours', async () => {
    const keys = [
      ...changingLabelKeys.flatMap((key) => [key, `${key}x`, key.slice(0, -1)]),
      ...changingLabelPrefixes.flatMap((prefix) => [`${prefix}x`, `${prefix.slice(0, -1)}x`, prefix.slice(0, -1)]),
    ];
    const selectors = keys.flatMap((key) => [
      [`label ${key}`, { matchLabels: { [key]: 'x' } }] as const,
      [`expression ${key}`, { matchExpressions: [{ key, operator: 'Exists' }] }] as const,
    ]);
    const cases = selectors.map(([what, nodeSelector]) => [what, aPolicyObject({ spec: { nodeSelector } })] as const);
    expect(await compare(cases)).to.equal('');
    const refused = cases.filter(([, policy]) => !askOurselves(policy).isTaken);
    expect(refused).to.have.length.above(2 * (changingLabelKeys.length + changingLabelPrefixes.length) - 1);
  });
});

async function askServer(client: ApiClient, body: object): Promise<Verdict> {
  const answer = await client.send({ method: 'POST', path, body });
  const words = `${answer.status} ${JSON.stringify(answer.body).slice(0, 600)}`;
  if (answer.status === 201) return { isTaken: true, words: 'takes it' };
  if (answer.status === 400 || answer.status === 422) return { isTaken: false, words };
  throw new Error(`the API server gave no verdict: ${words}`);
}

function askOurselves(policy: object): Verdict {
  // The server never sees a difference between NaN, infinity and null.
  const { findings } = validatePolicy(JSON.parse(JSON.stringify(policy)));
  const errors = findings.filter(({ severity, code }) => severity === 'error' && !ours.includes(code));
  return { isTaken: errors.length === 0, words: errors.map(({ message }) => message).join('; ') || 'take it' };
}
