import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
// @ts-expect-error -- the generators are plain JavaScript
import { describeApi, describeInside, fieldsOf } from '../../build/generate-api-docs.mjs';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Field {
  readonly path: string;
  readonly schema: Schema;
}

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: { readonly openAPIV3Schema: { readonly properties: Readonly<Record<string, Schema>> } };
    }[];
  };
}

async function readFields(kind: string, ...parts: readonly string[]): Promise<readonly Field[]> {
  const crd = parse(await readFile(`crds/gpupartition.dev_${kind}.yaml`, 'utf8')) as Definition;
  const { properties } = crd.spec.versions[0]?.schema.openAPIV3Schema ?? { properties: {} };
  return parts.flatMap((part) => [
    { path: part, schema: properties[part] ?? {} },
    ...(fieldsOf(properties[part], part) as readonly Field[]),
  ]);
}

describe('docs/api.md', () => {
  it('is what the CRDs say, and so is docs/internal/api.md', async () => {
    expect(await readFile('docs/api.md', 'utf8'), 'run make generate').to.equal(await describeApi());
    expect(await readFile('docs/internal/api.md', 'utf8'), 'run make generate').to.equal(await describeInside());
  });

  it('has every field of both kinds, here or inside', async () => {
    const [users, inside] = [await readFile('docs/api.md', 'utf8'), await readFile('docs/internal/api.md', 'utf8')];
    const fields = [
      ...(await readFields('gpupartitionpolicies', 'spec', 'status')),
      ...(await readFields('gpunodepartitions', 'spec', 'status')),
    ].filter(({ path }) => !['spec', 'status'].includes(path));
    // A part that stands in several places is described in the first.
    const same = [...users.matchAll(/^\| `([^`]+)` \|.*\| As `([^`]+)`\. \|$/gm)];
    const whereOf = (path: string): string => {
      const [, here = '', first = ''] =
        same.find(([, one = '']) => path.startsWith(`${one}.`) || path.startsWith(`${one}[]`)) ?? [];
      return `| \`${first}${path.slice(here.length)}\` |`;
    };
    const missing = fields.filter(({ path }) => !users.includes(whereOf(path)) && !inside.includes(`| \`${path}\` |`));
    expect(same.map(([, path]) => path)).to.deep.equal(['spec.schedules[].layouts', 'spec.schedules[].demand']);
    expect(missing.map(({ path }) => path)).to.deep.equal([]);
  });

  it('has a sentence for every field of both kinds', async () => {
    const fields = [
      ...(await readFields('gpupartitionpolicies', 'spec', 'status')),
      ...(await readFields('gpunodepartitions', 'spec', 'status')),
    ];
    expect(fields.length).to.be.above(150);
    const silent = fields.filter(({ schema }) => !/^[A-Z].*[.]$/s.test(schema.description ?? ''));
    expect(silent.map(({ path }) => path)).to.deep.equal([]);
  });

  it('shows an example for what users write as text, list or map', async () => {
    const fields = await readFields('gpupartitionpolicies', 'spec');
    const shown = (text: string | undefined) => /example|GPU-xxxx/i.test(text ?? '');
    const parentOf = (path: string) => fields.find((one) => one.path === path.replace(/(\[\])?\.[^.]+$/, ''));
    const unshown = fields.filter(({ path, schema }) => {
      const isFree = schema.enum === undefined && !['integer', 'boolean'].includes(schema.type ?? 'integer');
      const isLeaf = schema.properties === undefined;
      return isFree && isLeaf && !shown(schema.description) && !shown(parentOf(path)?.schema.description);
    });
    // Layouts have their own fields, windows too; of what is always refused there is no example.
    const paths = ['spec.layouts', 'spec.rollout.windows', 'spec.sharing.mps'];
    expect(unshown.map(({ path }) => path)).to.have.members(paths);
  });

  it('says of the field that is always rejected that it is', async () => {
    const [mps] = (await readFields('gpupartitionpolicies', 'spec')).filter(({ path }) => path === 'spec.sharing.mps');
    expect(mps?.schema.description).to.match(/^Not supported, always rejected/);
  });
});
