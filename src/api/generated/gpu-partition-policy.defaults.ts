// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
export const specDefaults = {
  priority: 0,
  mode: 'Enforce',
  backend: 'DevicePlugin',
  drain: { scope: 'Affected', timeout: '10m', onTimeout: 'Skip' },
  rollout: { maxUnavailable: 1, failureThreshold: 1, paused: false, rollback: 'OnFailure' },
  allow: { gpuReset: true },
  onDelete: 'Keep',
} as const;
