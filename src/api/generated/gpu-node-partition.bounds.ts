// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
export const statusBounds = {
  properties: {
    layout: { maxLength: 512 },
    closed: { properties: { lastSeconds: { minimum: 0, maximum: 2147483647 } } },
    waits: {
      items: {
        properties: { name: { maxLength: 64 }, of: { maxLength: 1024 }, count: { minimum: 1, maximum: 1000000 } },
      },
    },
    conditions: {
      items: { properties: { type: { maxLength: 316 }, reason: { maxLength: 1024 }, message: { maxLength: 8192 } } },
    },
    device: {
      properties: {
        agentVersion: { maxLength: 64 },
        bootID: { maxLength: 64 },
        driverLoad: { maxLength: 24 },
        driverVersion: { maxLength: 64 },
        cudaVersion: { maxLength: 16 },
        machine: { maxLength: 128 },
        clockSkewSeconds: { minimum: -2000000000, maximum: 2000000000 },
        observedEpoch: { minimum: 0 },
        signalled: { properties: { epoch: { minimum: 1 }, uids: { items: { maxLength: 64 } } } },
        hostProblems: { items: { maxLength: 512 } },
        error: { properties: { code: { maxLength: 64 }, message: { maxLength: 1024 }, gpu: { maxLength: 64 } } },
        plan: {
          properties: {
            hash: { maxLength: 64 },
            wishHash: { maxLength: 64 },
            keep: { minimum: 0, maximum: 1024 },
            destroy: { minimum: 0, maximum: 1024 },
            create: { minimum: 0, maximum: 1024 },
            gpusChanging: { minimum: 0, maximum: 64 },
            modeChanges: { minimum: 0, maximum: 64 },
            affectedPods: { items: { maxLength: 320 } },
            morePods: { minimum: 0, maximum: 100000 },
            drains: { items: { maxLength: 128 } },
            refusal: { maxLength: 1024 },
            monitors: { items: { maxLength: 704 } },
          },
        },
        advertised: {
          properties: {
            resources: { additionalProperties: { minimum: 0, maximum: 1000000 } },
            stale: { minimum: 0, maximum: 1000000 },
          },
        },
        lostDevices: { items: { properties: { id: { maxLength: 128 }, pods: { items: { maxLength: 320 } } } } },
        models: {
          items: {
            properties: {
              product: { maxLength: 128 },
              computeSlices: { minimum: 0, maximum: 16 },
              memorySlices: { minimum: 0, maximum: 16 },
              profiles: {
                items: {
                  properties: {
                    name: { maxLength: 32 },
                    id: { minimum: 0, maximum: 1023 },
                    computeSlices: { minimum: 0, maximum: 16 },
                    memorySlices: { minimum: 0, maximum: 16 },
                    starts: { items: { minimum: 0, maximum: 15 } },
                    maxInstances: { minimum: 0, maximum: 16 },
                    memoryMiB: { minimum: 0, maximum: 16777216 },
                    multiprocessors: { minimum: 0, maximum: 4096 },
                    engines: { items: { minimum: 0, maximum: 1024 } },
                  },
                },
              },
            },
          },
        },
        gpus: {
          items: {
            properties: {
              uuid: { maxLength: 64 },
              index: { minimum: 0, maximum: 255 },
              minor: { minimum: 0, maximum: 255 },
              pciBusId: { maxLength: 32 },
              pciDeviceId: { maxLength: 10 },
              pciClass: { maxLength: 10 },
              product: { maxLength: 128 },
              memoryMiB: { minimum: 0, maximum: 16777216 },
              computeCapability: { maxLength: 8 },
              pods: { items: { maxLength: 320 } },
              claims: { items: { maxLength: 320 } },
              error: { maxLength: 256 },
              vgpuHost: { maxLength: 64 },
              health: { properties: { message: { maxLength: 256 } } },
              instances: {
                items: {
                  properties: {
                    profile: { maxLength: 32 },
                    gi: { minimum: 0, maximum: 65535 },
                    start: { minimum: 0, maximum: 15 },
                    uuid: { maxLength: 64 },
                    pods: { items: { maxLength: 320 } },
                    claims: { items: { maxLength: 320 } },
                    computeInstances: {
                      items: {
                        properties: {
                          profile: { maxLength: 32 },
                          uuid: { maxLength: 64 },
                          memoryMiB: { minimum: 0, maximum: 16777216 },
                          multiprocessors: { minimum: 0, maximum: 4096 },
                          engines: { items: { minimum: 0, maximum: 1024 } },
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
          properties: {
            bootID: { maxLength: 64 },
            gpus: {
              items: {
                properties: {
                  uuid: { maxLength: 64 },
                  placements: { items: { maxLength: 48 } },
                  unsettled: { additionalProperties: { minimum: 1, maximum: 16 } },
                },
              },
            },
          },
        },
      },
    },
  },
};
