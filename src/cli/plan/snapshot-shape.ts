import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { shape as partitionShape } from '../../api/generated/gpu-node-partition.shape.ts';
import { shape as policyShape } from '../../api/generated/gpu-partition-policy.shape.ts';

const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
/** A name is printed in lines and tables: white space and control characters would forge others. */
const name = { type: 'string', minLength: 1, maxLength: 253, pattern: '^[!-~]+$' };
const listOf = (items: SchemaObject): SchemaObject => ({ type: 'array', items });
const shapeOf = (properties: Readonly<Record<string, SchemaObject>>, ...required: readonly string[]): SchemaObject => ({
  type: 'object',
  properties,
  required,
});

const quantities = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const conditions = listOf(shapeOf({ type: text, status: text, message: text }, 'type', 'status'));
const metadata = shapeOf(
  {
    name,
    namespace: name,
    uid: text,
    generation: { type: 'integer' },
    labels: texts,
    annotations: texts,
    deletionTimestamp: text,
    ownerReferences: listOf(shapeOf({ kind: text, name: text, uid: text })),
  },
  'name',
);
const objectOf = (parts: Readonly<Record<string, SchemaObject>>, ...required: readonly string[]): SchemaObject =>
  shapeOf({ metadata, ...parts }, 'metadata', ...required);

const containers = listOf(
  shapeOf({ name: text, resources: shapeOf({ limits: quantities, requests: quantities }), env: listOf(shapeOf({})) }),
);
const tolerations = listOf(shapeOf({ key: text, value: text, effect: text, operator: text }));
const taints = listOf(shapeOf({ key: text, value: text, effect: text }, 'key'));
const podSpec = shapeOf({ nodeSelector: texts, containers, initContainers: containers, tolerations });
/** Kueue's, by `kueue KIND`. */
const queueShapes: Readonly<Record<string, SchemaObject>> = {
  'kueue Workload': objectOf({
    spec: shapeOf({
      active: { type: 'boolean' },
      queueName: text,
      podSets: listOf(shapeOf({ name: text, count: { type: 'integer' }, template: shapeOf({ spec: podSpec }) })),
    }),
    status: shapeOf({
      admission: shapeOf({ podSetAssignments: listOf(shapeOf({ name: text, flavors: texts })) }),
      conditions: listOf(shapeOf({ type: text, status: text }, 'type', 'status')),
      reclaimablePods: listOf(shapeOf({ name: text, count: { type: 'integer' } }, 'name', 'count')),
    }),
  }),
  'kueue LocalQueue': objectOf({ spec: shapeOf({ clusterQueue: text, stopPolicy: text }) }),
  'kueue ClusterQueue': objectOf({
    spec: shapeOf({
      stopPolicy: text,
      resourceGroups: listOf(
        shapeOf({ coveredResources: listOf(text), flavors: listOf(shapeOf({ name: text }, 'name')) }),
      ),
    }),
  }),
  'kueue ResourceFlavor': objectOf({
    spec: shapeOf({
      nodeLabels: texts,
      nodeTaints: taints,
      tolerations,
    }),
  }),
};

const selectors = listOf(shapeOf({ cel: shapeOf({ expression: text }) }));
const deviceRequest = {
  deviceClassName: text,
  count: { type: 'integer' },
  allocationMode: text,
  adminAccess: { type: 'boolean' },
  selectors,
  tolerations,
};
const claimSpec = shapeOf({
  devices: shapeOf({
    requests: listOf(
      shapeOf(
        {
          name: text,
          exactly: shapeOf(deviceRequest),
          firstAvailable: listOf(shapeOf({ name: text, ...deviceRequest }, 'name')),
        },
        'name',
      ),
    ),
    constraints: listOf(shapeOf({})),
  }),
});
const ofDevice = (value: SchemaObject): SchemaObject => ({ type: 'object', additionalProperties: value });
/** Of `resource.k8s.io`. */
const claimShapes: Readonly<Record<string, SchemaObject>> = {
  DeviceClass: objectOf({ spec: shapeOf({ extendedResourceName: text, selectors }) }),
  ResourceClaim: objectOf({
    spec: claimSpec,
    status: shapeOf({
      allocation: shapeOf({
        devices: shapeOf({
          results: listOf(
            shapeOf(
              { driver: text, pool: text, device: name, adminAccess: { type: 'boolean' } },
              'driver',
              'pool',
              'device',
            ),
          ),
        }),
      }),
      reservedFor: listOf(shapeOf({ resource: text, name, uid: text }, 'resource', 'name', 'uid')),
    }),
  }),
  ResourceClaimTemplate: objectOf({ spec: shapeOf({ spec: claimSpec }) }),
  ResourceSlice: objectOf(
    {
      spec: shapeOf(
        {
          driver: text,
          nodeName: text,
          sharedCounters: listOf(shapeOf({})),
          devices: listOf(
            shapeOf(
              {
                name,
                attributes: ofDevice(shapeOf({ string: text })),
                capacity: ofDevice(shapeOf({ value: { type: ['string', 'number'] } })),
                consumesCounters: listOf(shapeOf({})),
                taints,
              },
              'name',
            ),
          ),
        },
        'driver',
      ),
    },
    'spec',
  ),
};

/** What is read of objects of each kind. Other fields are not looked at: newer API servers have more of them. */
const shapes: Readonly<Record<string, SchemaObject>> = {
  Node: objectOf({
    spec: shapeOf({
      taints,
      unschedulable: { type: 'boolean' },
    }),
    status: shapeOf({ allocatable: quantities, capacity: quantities, nodeInfo: shapeOf({ bootID: text }), conditions }),
  }),
  Pod: objectOf({
    spec: shapeOf({
      nodeName: text,
      nodeSelector: texts,
      containers,
      initContainers: containers,
      tolerations,
    }),
    status: shapeOf({ phase: text, conditions }),
  }),
  PodDisruptionBudget: objectOf({
    spec: shapeOf({
      selector: shapeOf({ matchLabels: texts, matchExpressions: listOf(shapeOf({ key: text }, 'key')) }),
    }),
    status: shapeOf({
      disruptionsAllowed: { type: 'integer' },
      currentHealthy: { type: 'integer' },
      desiredHealthy: { type: 'integer' },
      expectedPods: { type: 'integer' },
    }),
  }),
  Event: objectOf({
    involvedObject: shapeOf({ kind: text, name: text }),
    type: text,
    reason: text,
    message: text,
    count: { type: 'integer' },
  }),
  GpuNodePartition: objectOf(partitionShape, 'spec'),
  GpuPartitionPolicy: objectOf(policyShape, 'spec'),
};

const ajv = new Ajv({ strict: false, verbose: true });
const checks = new Map(
  Object.entries({ ...shapes, ...queueShapes, ...claimShapes }).map(([kind, shape]) => [kind, ajv.compile(shape)]),
);

/** Whether anything of objects of this kind is read. */
export function isRead(kind: string): boolean {
  return checks.has(kind);
}

/**
 * What is wrong with the shape of an object, in words that follow its name: ` has no spec`, `: metadata.labels must be object`.
 * Undefined if nothing is.
 */
export function explainShape(kind: string, object: unknown): string | undefined {
  const check = checks.get(kind);
  if (check === undefined || check(object)) return undefined;
  const [error] = check.errors ?? [];
  return error && describe(error);
}

function describe(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1).join('.');
  return path === '' ? ` ${wordsOf(error)}` : `: ${path} ${wordsOf(error)}`;
}

function wordsOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const missing: unknown = params['missingProperty'];
  if (keyword === 'required' && typeof missing === 'string') return `has no ${missing}`;
  return keyword === 'pattern' ? 'must not contain white space or control characters' : message;
}
