import { expect } from 'chai';
import { parse } from 'yaml';

import { parseNodeDescription } from '../../../src/cli/input/node-description-parser.ts';
import { describeNode } from '../../../src/core/nvidia/labels/node-outcome.ts';
import { readVectors } from './label-fixtures.ts';

describe('labels and resources as NVIDIA computes them', () => {
  const vectors = readVectors();

  it('has the whole set of recorded vectors', () => {
    expect(vectors).to.have.length(41);
  });

  for (const { id, strategy, node, config, configFile, expected } of vectors) {
    it(`agrees with upstream on ${id} under strategy ${strategy}`, () => {
      const parsed = parseNodeDescription(node);
      if (!parsed.ok) expect.fail(JSON.stringify(parsed.problems));
      const wanted = {
        labels: expected.labels ?? {},
        resources: expected.resources ?? {},
        errors: [expected.configError, expected.gfdError, expected.pluginError].filter((text) => text !== undefined),
      };
      expect(describeNode(parsed.node, strategy, config), 'config as an object').to.deep.equal(wanted);
      const file: unknown = configFile === null ? undefined : parse(configFile);
      expect(describeNode(parsed.node, strategy, file), 'config as a file').to.deep.equal(wanted);
    });
  }
});
