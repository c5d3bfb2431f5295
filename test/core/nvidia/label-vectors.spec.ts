import { expect } from 'chai';
import { parse } from 'yaml';
import { parseNodeDescription } from '../../../src/cli/commands/labels.ts';
import { predictNode } from '../../../src/core/nvidia/predict.ts';
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
      const predict = (value: unknown) => {
        const { warnings: _warnings, ...found } = predictNode(parsed.node, strategy, { file: 'config.yaml', value });
        return found;
      };
      expect(predict(config), 'config as an object').to.deep.equal(wanted);
      const file: unknown = configFile === null ? undefined : parse(configFile);
      expect(predict(file), 'config as a file').to.deep.equal(wanted);
    });
  }
});
