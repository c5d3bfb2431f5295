// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
export const statusBounds = {
  properties: {
    history: { items: { properties: { manager: { maxLength: 128 } } } },
    summary: { maxLength: 256 },
    conditions: {
      items: { properties: { type: { maxLength: 316 }, reason: { maxLength: 1024 }, message: { maxLength: 8192 } } },
    },
    nodes: {
      properties: {
        matched: { minimum: -2147483648, maximum: 2147483647 },
        ready: { minimum: -2147483648, maximum: 2147483647 },
        updating: { minimum: -2147483648, maximum: 2147483647 },
        pending: { minimum: -2147483648, maximum: 2147483647 },
        failed: { minimum: -2147483648, maximum: 2147483647 },
        outranked: { minimum: -2147483648, maximum: 2147483647 },
        conflicted: { minimum: -2147483648, maximum: 2147483647 },
        skipped: { minimum: -2147483648, maximum: 2147483647 },
      },
    },
    schedule: { properties: { name: { maxLength: 32 }, next: { properties: { name: { maxLength: 32 } } } } },
    demand: {
      items: {
        properties: {
          name: { maxLength: 32 },
          wanted: { minimum: -2147483648, maximum: 2147483647 },
          offered: { minimum: -2147483648, maximum: 2147483647 },
          used: { minimum: -2147483648, maximum: 2147483647 },
          waiting: { minimum: -2147483648, maximum: 2147483647 },
          unmet: { minimum: -2147483648, maximum: 2147483647 },
          why: { maxLength: 1024 },
        },
      },
    },
    steady: { additionalProperties: { minimum: 0, maximum: 2147483647 } },
    defrag: { properties: { request: { maxLength: 1024 }, message: { maxLength: 1024 } } },
    inFlight: { items: { properties: { node: { maxLength: 253 }, nodeUID: { maxLength: 64 } } } },
    canary: { properties: { schedule: { maxLength: 32 }, nodes: { items: { maxLength: 253 } } } },
    pace: { properties: { nodes: { minimum: 1, maximum: 2147483647 }, seconds: { minimum: 0 } } },
    limits: {
      properties: {
        nodes: { minimum: 0, maximum: 2147483647 },
        maxUnavailable: { minimum: 0, maximum: 2147483647 },
        maxConcurrentNodes: { minimum: 0, maximum: 2147483647 },
      },
    },
    failures: {
      items: { properties: { node: { maxLength: 253 }, reason: { maxLength: 64 }, message: { maxLength: 1024 } } },
    },
  },
};
