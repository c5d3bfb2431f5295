import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const manifests = globSync(['crds/*.yaml', 'config/**/*.yaml', 'charts/**/*.yaml'], { cwd: root }).map((path) => ({
  path,
  text: readFileSync(new URL(path, root), 'utf8'),
}));

describe('what is installed', () => {
  it('has no webhook that could be down: neither for admission nor for conversion', () => {
    expect(manifests.filter(({ text }) => text.includes('ValidatingAdmissionPolicy'))).not.to.deep.equal([]);
    const hooks =
      /^\s*kind: (Validating|Mutating)WebhookConfiguration|^\s*conversion:|^\s*strategy: Webhook|\bwebhook:/m;
    expect(manifests.filter(({ text }) => hooks.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });
});
