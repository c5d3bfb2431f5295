import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { defaultClients } from '../../src/core/node/plugin-pods.ts';

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

  it('lets the controller pause every GPU client that it knows: a label that is refused would hold up all that is written with it', () => {
    const policies = manifests.filter(({ path }) => path.endsWith('controller-admission.yaml'));
    expect(policies).to.have.length(2);
    for (const { path, text } of policies) {
      const [, names = ''] = /gpu\[\.\]deploy\[\.\]\(([^)]*)\)/.exec(text) ?? [];
      const allowed = names.split('|').map((name) => `nvidia.com/gpu.deploy.${name}`);
      expect(allowed, path).to.include.members(defaultClients.flatMap(({ deployLabel }) => deployLabel ?? []));
    }
  });
});
