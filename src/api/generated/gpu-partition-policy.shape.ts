// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
export const shape = {
  spec: {
    type: 'object',
    required: ['nodeSelector', 'strategy'],
    properties: {
      nodeSelector: {
        type: 'object',
        properties: {
          matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
          matchExpressions: {
            type: 'array',
            items: {
              type: 'object',
              required: ['key', 'operator'],
              properties: {
                key: { type: 'string' },
                operator: { type: 'string' },
                values: { type: 'array', items: { type: 'string' } },
              },
            },
          },
        },
      },
      priority: { type: 'integer' },
      mode: { type: 'string' },
      strategy: { type: 'string' },
      demand: {
        type: 'object',
        required: ['slices'],
        properties: {
          slices: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                name: { type: 'string' },
                profiles: { type: 'array', items: { type: 'string' } },
                memory: { type: 'string' },
                mig: { type: 'string' },
                count: { type: 'integer' },
                min: { type: 'integer' },
                max: { type: 'integer' },
                spare: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
                weight: { type: 'integer' },
              },
            },
          },
          from: { type: 'string' },
          namespaceSelector: {
            type: 'object',
            properties: {
              matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
              matchExpressions: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['key', 'operator'],
                  properties: {
                    key: { type: 'string' },
                    operator: { type: 'string' },
                    values: { type: 'array', items: { type: 'string' } },
                  },
                },
              },
            },
          },
          evict: { type: 'string' },
          rest: { type: 'string' },
          stabilization: { type: 'string' },
          cooldown: { type: 'string' },
        },
      },
      backend: { type: 'string' },
      dra: { type: 'object', properties: { deviceClasses: { type: 'string' } } },
      kueue: {
        type: 'object',
        required: ['clusterQueue'],
        properties: { clusterQueue: { type: 'string' }, cohort: { type: 'string' } },
      },
      layouts: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            gpus: {
              type: 'object',
              properties: {
                models: { type: 'array', items: { type: 'string' } },
                indices: { type: 'array', items: { type: 'integer' } },
                uuids: { type: 'array', items: { type: 'string' } },
                pciDeviceIds: { type: 'array', items: { type: 'string' } },
                count: { type: 'integer' },
              },
            },
            profiles: { type: 'object', additionalProperties: { type: 'integer' } },
            preset: { type: 'string' },
            mig: { type: 'string' },
          },
        },
      },
      schedules: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'schedule', 'duration'],
          properties: {
            name: { type: 'string' },
            schedule: { type: 'string' },
            duration: { type: 'string' },
            timeZone: { type: 'string' },
            layouts: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  gpus: {
                    type: 'object',
                    properties: {
                      models: { type: 'array', items: { type: 'string' } },
                      indices: { type: 'array', items: { type: 'integer' } },
                      uuids: { type: 'array', items: { type: 'string' } },
                      pciDeviceIds: { type: 'array', items: { type: 'string' } },
                      count: { type: 'integer' },
                    },
                  },
                  profiles: { type: 'object', additionalProperties: { type: 'integer' } },
                  preset: { type: 'string' },
                  mig: { type: 'string' },
                },
              },
            },
            demand: {
              type: 'object',
              required: ['slices'],
              properties: {
                slices: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: {
                      name: { type: 'string' },
                      profiles: { type: 'array', items: { type: 'string' } },
                      memory: { type: 'string' },
                      mig: { type: 'string' },
                      count: { type: 'integer' },
                      min: { type: 'integer' },
                      max: { type: 'integer' },
                      spare: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
                      weight: { type: 'integer' },
                    },
                  },
                },
                from: { type: 'string' },
                namespaceSelector: {
                  type: 'object',
                  properties: {
                    matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
                    matchExpressions: {
                      type: 'array',
                      items: {
                        type: 'object',
                        required: ['key', 'operator'],
                        properties: {
                          key: { type: 'string' },
                          operator: { type: 'string' },
                          values: { type: 'array', items: { type: 'string' } },
                        },
                      },
                    },
                  },
                },
                evict: { type: 'string' },
                rest: { type: 'string' },
                stabilization: { type: 'string' },
                cooldown: { type: 'string' },
              },
            },
          },
        },
      },
      sharing: {
        type: 'object',
        properties: {
          mps: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          allocation: { type: 'string' },
          timeSlicing: {
            type: 'array',
            items: {
              type: 'object',
              required: ['resource', 'replicas'],
              properties: { resource: { type: 'string' }, replicas: { type: 'integer' } },
            },
          },
        },
      },
      drain: {
        type: 'object',
        properties: {
          scope: { type: 'string' },
          timeout: { type: 'string' },
          onTimeout: { type: 'string' },
          gracePeriod: { type: 'string' },
        },
      },
      rollout: {
        type: 'object',
        properties: {
          maxUnavailable: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
          canary: {
            type: 'object',
            required: ['nodes'],
            properties: { nodes: { type: 'integer' }, soak: { type: 'string' } },
          },
          failureThreshold: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
          windows: {
            type: 'array',
            items: {
              type: 'object',
              required: ['schedule', 'duration'],
              properties: { schedule: { type: 'string' }, duration: { type: 'string' }, timeZone: { type: 'string' } },
            },
          },
          paused: { type: 'boolean' },
          rollback: { type: 'string' },
        },
      },
      allow: {
        type: 'object',
        properties: {
          gpuReset: { type: 'boolean' },
          reboot: { type: 'boolean' },
          replaceForeignInstances: { type: 'boolean' },
          takeOver: { type: 'array', items: { type: 'string' } },
        },
      },
      onDelete: { type: 'string' },
    },
  },
  status: {
    type: 'object',
    properties: {
      observedGeneration: { type: 'integer' },
      acceptedGeneration: { type: 'integer' },
      inForce: {
        type: 'object',
        required: ['generation', 'spec'],
        properties: {
          generation: { type: 'integer' },
          spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      history: {
        type: 'array',
        items: {
          type: 'object',
          required: ['generation', 'time', 'spec'],
          properties: {
            generation: { type: 'integer' },
            time: { type: 'string' },
            manager: { type: 'string' },
            spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
      summary: { type: 'string' },
      conditions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
          properties: {
            type: { type: 'string' },
            status: { type: 'string' },
            reason: { type: 'string' },
            message: { type: 'string' },
            lastTransitionTime: { type: 'string' },
            observedGeneration: { type: 'integer' },
          },
        },
      },
      nodes: {
        type: 'object',
        properties: {
          matched: { type: 'integer' },
          ready: { type: 'integer' },
          updating: { type: 'integer' },
          pending: { type: 'integer' },
          failed: { type: 'integer' },
          outranked: { type: 'integer' },
          conflicted: { type: 'integer' },
          skipped: { type: 'integer' },
        },
      },
      schedule: {
        type: 'object',
        required: ['since'],
        properties: {
          name: { type: 'string' },
          since: { type: 'string' },
          next: {
            type: 'object',
            required: ['time'],
            properties: { name: { type: 'string' }, time: { type: 'string' } },
          },
        },
      },
      demand: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'wanted', 'offered', 'used', 'unmet'],
          properties: {
            name: { type: 'string' },
            wanted: { type: 'integer' },
            offered: { type: 'integer' },
            used: { type: 'integer' },
            waiting: { type: 'integer' },
            unmet: { type: 'integer' },
            why: { type: 'string' },
          },
        },
      },
      steady: { type: 'object', additionalProperties: { type: 'integer' } },
      defrag: {
        type: 'object',
        required: ['request', 'state', 'message'],
        properties: { request: { type: 'string' }, state: { type: 'string' }, message: { type: 'string' } },
      },
      plan: {
        type: 'object',
        properties: {
          gpusChanging: { type: 'integer' },
          instancesKept: { type: 'integer' },
          instancesDestroyed: { type: 'integer' },
          instancesCreated: { type: 'integer' },
          podsToEvict: { type: 'integer' },
        },
      },
      inFlight: {
        type: 'array',
        items: {
          type: 'object',
          required: ['node', 'nodeUID'],
          properties: {
            node: { type: 'string' },
            nodeUID: { type: 'string' },
            epoch: { type: 'integer' },
            generation: { type: 'integer' },
            startTime: { type: 'string' },
            deadline: { type: 'string' },
            kind: { type: 'string' },
          },
        },
      },
      canary: {
        type: 'object',
        required: ['generation', 'nodes'],
        properties: {
          generation: { type: 'integer' },
          schedule: { type: 'string' },
          nodes: { type: 'array', items: { type: 'string' } },
          readySince: { type: 'string' },
          passedTime: { type: 'string' },
        },
      },
      pace: {
        type: 'object',
        required: ['generation', 'nodes', 'seconds'],
        properties: { generation: { type: 'integer' }, nodes: { type: 'integer' }, seconds: { type: 'integer' } },
      },
      limits: {
        type: 'object',
        required: ['nodes', 'maxUnavailable', 'maxConcurrentNodes'],
        properties: {
          nodes: { type: 'integer' },
          maxUnavailable: { type: 'integer' },
          maxConcurrentNodes: { type: 'integer' },
        },
      },
      failures: {
        type: 'array',
        items: {
          type: 'object',
          required: ['node', 'reason', 'message'],
          properties: {
            node: { type: 'string' },
            reason: { type: 'string' },
            message: { type: 'string' },
            time: { type: 'string' },
          },
        },
      },
    },
  },
};
