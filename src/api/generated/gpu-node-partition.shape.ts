// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
export const shape = {
  spec: {
    type: 'object',
    required: ['nodeUID'],
    properties: {
      nodeUID: { type: 'string' },
      policy: {
        type: 'object',
        required: ['name', 'generation'],
        properties: {
          name: { type: 'string' },
          uid: { type: 'string' },
          generation: { type: 'integer' },
          schedule: { type: 'string' },
        },
      },
      strategy: { type: 'string' },
      backend: { type: 'string' },
      wish: {
        type: 'object',
        required: ['gpus'],
        properties: {
          gpus: {
            type: 'array',
            items: {
              type: 'object',
              required: ['uuid'],
              properties: {
                uuid: { type: 'string' },
                profiles: { type: 'object', additionalProperties: { type: 'integer' } },
                mig: { type: 'string' },
                entry: { type: 'string' },
              },
            },
          },
          replaceForeignInstances: { type: 'boolean' },
          allowGpuReset: { type: 'boolean' },
        },
      },
      granted: {
        type: 'object',
        required: ['gpus', 'epoch', 'planHash', 'deadline'],
        properties: {
          gpus: {
            type: 'array',
            items: {
              type: 'object',
              required: ['uuid'],
              properties: {
                uuid: { type: 'string' },
                profiles: { type: 'object', additionalProperties: { type: 'integer' } },
                mig: { type: 'string' },
                entry: { type: 'string' },
              },
            },
          },
          epoch: { type: 'integer' },
          policy: { type: 'object', properties: { uid: { type: 'string' }, generation: { type: 'integer' } } },
          planHash: { type: 'string' },
          deadline: { type: 'string' },
          seconds: { type: 'integer' },
          allowGpuReset: { type: 'boolean' },
          allowReboot: { type: 'boolean' },
          replaceForeignInstances: { type: 'boolean' },
          signalPods: { type: 'array', items: { type: 'string' } },
          rollback: { type: 'string' },
        },
      },
      drain: {
        type: 'object',
        required: ['planHash', 'pods'],
        properties: {
          planHash: { type: 'string' },
          readAfter: { type: 'string' },
          places: { type: 'array', items: { type: 'string' } },
          pods: {
            type: 'array',
            items: {
              type: 'object',
              required: ['namespace', 'name', 'uid'],
              properties: { namespace: { type: 'string' }, name: { type: 'string' }, uid: { type: 'string' } },
            },
          },
        },
      },
      monitors: { type: 'array', items: { type: 'string' } },
      unregister: {
        type: 'object',
        required: ['epoch', 'resources'],
        properties: {
          epoch: { type: 'integer' },
          resources: { type: 'array', items: { type: 'string' } },
          leftBehind: { type: 'boolean' },
        },
      },
      repairs: { type: 'array', items: { type: 'string' } },
    },
  },
  status: {
    type: 'object',
    properties: {
      phase: { type: 'string' },
      layout: { type: 'string' },
      writerMode: { type: 'string' },
      closed: {
        type: 'object',
        properties: {
          since: { type: 'string' },
          lastSeconds: { type: 'integer' },
          deviceDoneTime: { type: 'string' },
          offeredTime: { type: 'string' },
        },
      },
      waits: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'since'],
          properties: {
            name: { type: 'string' },
            since: { type: 'string' },
            of: { type: 'string' },
            count: { type: 'integer' },
          },
        },
      },
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
      device: {
        type: 'object',
        properties: {
          agentVersion: { type: 'string' },
          bootID: { type: 'string' },
          driverLoad: { type: 'string' },
          driverVersion: { type: 'string' },
          cudaVersion: { type: 'string' },
          machine: { type: 'string' },
          clockSkewSeconds: { type: 'integer' },
          readTime: { type: 'string' },
          observedEpoch: { type: 'integer' },
          step: { type: 'string' },
          signalled: {
            type: 'object',
            required: ['epoch', 'uids'],
            properties: { epoch: { type: 'integer' }, uids: { type: 'array', items: { type: 'string' } } },
          },
          hostProblems: { type: 'array', items: { type: 'string' } },
          nextRetryTime: { type: 'string' },
          error: {
            type: 'object',
            required: ['code', 'message'],
            properties: { code: { type: 'string' }, message: { type: 'string' }, gpu: { type: 'string' } },
          },
          plan: {
            type: 'object',
            required: ['hash', 'wishHash', 'keep', 'destroy', 'create'],
            properties: {
              hash: { type: 'string' },
              wishHash: { type: 'string' },
              keep: { type: 'integer' },
              destroy: { type: 'integer' },
              create: { type: 'integer' },
              gpusChanging: { type: 'integer' },
              modeChanges: { type: 'integer' },
              affectedPods: { type: 'array', items: { type: 'string' } },
              morePods: { type: 'integer' },
              drains: { type: 'array', items: { type: 'string' } },
              refusalCode: { type: 'string' },
              refusal: { type: 'string' },
              monitors: { type: 'array', items: { type: 'string' } },
            },
          },
          advertised: {
            type: 'object',
            required: ['stale'],
            properties: {
              resources: { type: 'object', additionalProperties: { type: 'integer' } },
              stale: { type: 'integer' },
            },
          },
          lostDevices: {
            type: 'array',
            items: {
              type: 'object',
              required: ['id', 'pods'],
              properties: { id: { type: 'string' }, pods: { type: 'array', items: { type: 'string' } } },
            },
          },
          models: {
            type: 'array',
            items: {
              type: 'object',
              required: ['product', 'computeSlices', 'memorySlices', 'profiles'],
              properties: {
                product: { type: 'string' },
                computeSlices: { type: 'integer' },
                memorySlices: { type: 'integer' },
                profiles: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['name', 'computeSlices', 'memorySlices', 'starts', 'maxInstances'],
                    properties: {
                      name: { type: 'string' },
                      id: { type: 'integer' },
                      computeSlices: { type: 'integer' },
                      memorySlices: { type: 'integer' },
                      starts: { type: 'array', items: { type: 'integer' } },
                      maxInstances: { type: 'integer' },
                      memoryMiB: { type: 'integer' },
                      multiprocessors: { type: 'integer' },
                      engines: { type: 'array', items: { type: 'integer' } },
                    },
                  },
                },
              },
            },
          },
          gpus: {
            type: 'array',
            items: {
              type: 'object',
              required: ['uuid', 'index', 'pciBusId', 'product', 'instances'],
              properties: {
                uuid: { type: 'string' },
                index: { type: 'integer' },
                minor: { type: 'integer' },
                pciBusId: { type: 'string' },
                pciDeviceId: { type: 'string' },
                pciClass: { type: 'string' },
                product: { type: 'string' },
                memoryMiB: { type: 'integer' },
                computeCapability: { type: 'string' },
                migCapable: { type: 'boolean' },
                mig: { type: 'string' },
                migPending: { type: 'string' },
                busy: { type: 'boolean' },
                pods: { type: 'array', items: { type: 'string' } },
                claims: { type: 'array', items: { type: 'string' } },
                error: { type: 'string' },
                vgpuHost: { type: 'string' },
                health: {
                  type: 'object',
                  required: ['action', 'message'],
                  properties: { action: { type: 'string' }, message: { type: 'string' } },
                },
                instances: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['profile', 'gi', 'start'],
                    properties: {
                      profile: { type: 'string' },
                      gi: { type: 'integer' },
                      start: { type: 'integer' },
                      uuid: { type: 'string' },
                      busy: { type: 'boolean' },
                      pods: { type: 'array', items: { type: 'string' } },
                      claims: { type: 'array', items: { type: 'string' } },
                      computeInstances: {
                        type: 'array',
                        items: {
                          type: 'object',
                          required: ['profile'],
                          properties: {
                            profile: { type: 'string' },
                            uuid: { type: 'string' },
                            memoryMiB: { type: 'integer' },
                            multiprocessors: { type: 'integer' },
                            engines: { type: 'array', items: { type: 'integer' } },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
          lastGood: {
            type: 'object',
            properties: {
              bootID: { type: 'string' },
              gpus: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['uuid'],
                  properties: {
                    uuid: { type: 'string' },
                    mig: { type: 'string' },
                    placements: { type: 'array', items: { type: 'string' } },
                    unsettled: { type: 'object', additionalProperties: { type: 'integer' } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};
