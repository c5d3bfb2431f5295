import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

/** A part of the CRD's schema, as far as mutations look at it. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
}

type Path = readonly (string | number)[];

/** One change of a policy: a path, and the value that it gets there, or that it goes. */
export interface Mutation {
  readonly path: Path;
  readonly change: { readonly to: unknown } | 'absent';
}

const crdFile = new URL('../../crds/gpupartition.dev_gpupartitionpolicies.yaml', import.meta.url);

export function readPolicySchema(): Schema {
  const crd = parse(readFileSync(crdFile, 'utf8')) as {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
  };
  const spec = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
  if (spec === undefined) throw new Error('the CRD has no schema of spec');
  return spec;
}

/** A spec that has a value at every field of the schema, all of them good ones. */
export const fullSpec = {
  nodeSelector: {
    matchLabels: { pool: 'x' },
    matchExpressions: [
      { key: 'a.b/c', operator: 'In', values: ['d'] },
      { key: 'e', operator: 'Exists' },
    ],
  },
  priority: 5,
  mode: 'Plan',
  strategy: 'mixed',
  layouts: [
    {
      gpus: {
        models: ['A100-*-40GB'],
        indices: [0, 1],
        uuids: ['GPU-01234567-89ab-cdef-0123-456789abcdef'],
        pciDeviceIds: ['0x20B010DE'],
        count: 2,
      },
      profiles: { '1g.5gb': 2, '3g.20gb': 1 },
    },
    { preset: 'all-balanced' },
    { mig: 'Disabled' },
  ],
  sharing: { allocation: 'Packed', timeSlicing: [{ resource: 'nvidia.com/mig-1g.5gb', replicas: 4 }] },
  drain: { scope: 'Affected', timeout: '10m', onTimeout: 'Skip', gracePeriod: '30s' },
  rollout: {
    maxUnavailable: '10%',
    canary: { nodes: 1, soak: '10m' },
    failureThreshold: 3,
    windows: [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Berlin' }],
    paused: false,
    rollback: 'OnFailure',
  },
  allow: { gpuReset: true, reboot: false, replaceForeignInstances: false, takeOver: ['mig-manager'] },
  onDelete: 'Keep',
};

const { layouts: _layouts, sharing: _sharing, ...rest } = fullSpec;
/** The same with a demand, which excludes layouts and sharing. */
export const fullDemandSpec = {
  ...rest,
  demand: {
    slices: [
      { name: 'small', profiles: ['1g.5gb', '1g.*'], count: 4, weight: 2 },
      { profiles: ['3g.20gb'], count: 0 },
      { profiles: ['2g.10gb'], min: 1, max: 8, spare: '10%' },
      { memory: '4.5Gi', count: 1 },
      { name: 'whole', mig: 'Disabled', min: 2 },
    ],
    rest: 'Whole',
    from: 'Pods',
    stabilization: '5m',
    evict: 'Never',
    cooldown: '1h',
  },
};

/** The same with schedules: one of each kind. */
export const fullScheduleSpec = {
  ...rest,
  layouts: fullSpec.layouts,
  schedules: [
    {
      name: 'night',
      schedule: '0 22 * * *',
      duration: '8h',
      timeZone: 'Europe/Berlin',
      layouts: fullSpec.layouts,
    },
    { name: 'weekend', schedule: '0 0 * * SAT', duration: '48h', demand: fullDemandSpec.demand },
  ],
};

/** What may stand anywhere, and is right hardly anywhere. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  ' ',
  'x',
  '5',
  '10%',
  '1h',
  [],
  {},
  '\u00A0',
  'é',
  '\u{1F600}',
  '\u202E',
  'a\u0000b',
  'a\nb',
  'x'.repeat(70),
  'é'.repeat(64),
  '\u{1F600}'.repeat(40),
  // White space to JavaScript and not to the server, and the other way round.
  '0\u00A0 22 * * *',
  '0 22 * * *\u2028',
  '10m\n',
  'A100\u000B',
  '\uD800',
  [null],
  ['x'],
  [{}],
  { a: null },
  { a: 'b' },
];

const ODD_KEYS: readonly string[] = [
  '',
  ' ',
  'é',
  '__proto__',
  'constructor',
  'a/b/c',
  'A_b/c',
  'a/',
  '/a',
  'a b',
  'x'.repeat(64),
  '\u{1F600}'.repeat(20),

  `${'a'.repeat(253)}/b`,
  `${'a'.repeat(254)}/b`,
  '1g.5gb+me',
  '1c.1g.5gb',
  '1g.5gb\n',
  '\u0661g.5gb',
  'a.b/c',
  'a..b/c',
  'nvidia.com/gpu.product',
  'nvidia.com/mig.config',
  'nvidia.com/gpu.deploy.x',
  'gpupartition.dev/',
];

/** Every change of one field that a schema suggests, at every place that the spec has. */
export function listMutations(schema: Schema, value: unknown, path: Path = ['spec']): readonly Mutation[] {
  const here = [...ODD, ...boundaries(schema)].map((to) => ({ path, change: { to } }) as const);
  const gone: readonly Mutation[] = path.length > 1 ? [{ path, change: 'absent' }] : [];
  return [...here, ...gone, ...below(schema, value, path)];
}

function below(schema: Schema, value: unknown, path: Path): readonly Mutation[] {
  if (Array.isArray(value)) {
    const items = schema.items ?? {};
    return value.flatMap((item: unknown, index) => listMutations(items, item, [...path, index]));
  }
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Readonly<Record<string, unknown>>;
  const keys = schema.additionalProperties === undefined ? ['extra', 'constructor'] : ODD_KEYS;
  const sample = Object.values(fields)[0] ?? 'x';
  return [
    ...keys.flatMap((key) => [sample, null].map((to) => ({ path: [...path, key], change: { to } }))),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      listMutations(child, fields[name], [...path, name]),
    ),
    ...(schema.additionalProperties === undefined
      ? []
      : Object.entries(fields).flatMap(([name, item]) =>
          listMutations(schema.additionalProperties ?? {}, item, [...path, name]),
        )),
  ];
}

function boundaries(schema: Schema): readonly unknown[] {
  const { minimum, maximum, maxLength, maxItems, maxProperties } = schema;
  return [
    ...(minimum === undefined ? [] : [minimum - 1, minimum]),
    ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength), 'a'.repeat(maxLength + 1), 'é'.repeat(maxLength)]),
    ...(maxItems === undefined ? [] : [maxItems, maxItems + 1].map((length) => Array.from({ length }, () => 'x'))),
    ...(maxProperties === undefined
      ? []
      : [maxProperties, maxProperties + 1].map((length) =>
          Object.fromEntries(Array.from({ length }, (_, index) => [`1g.${index + 1}gb`, 1])),
        )),
    ...(schema.enum ?? []).flatMap((word) => [word, word.toLowerCase(), `${word} `]),
  ];
}

/** The policy with these changes, the later ones on top; a path that an earlier one took away is recreated. */
export function mutate(policy: object, mutations: readonly Mutation[]): object {
  const copy = structuredClone(policy);
  for (const { path, change } of mutations) {
    const parent = path.slice(0, -1).reduce<unknown>((at, part) => Object(at)[part] as unknown, copy);
    const last = path.at(-1) ?? '';
    if (typeof parent !== 'object' || parent === null) continue;
    if (change === 'absent') Reflect.deleteProperty(parent, last);
    // Values are shared between cases, so each case has its own copy. What Object.assign would hand to a setter (__proto__) is a key like any other.
    else
      Object.defineProperty(parent, last, {
        value: structuredClone(change.to),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return copy;
}
