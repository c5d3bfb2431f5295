/** The program that would fail: GPU Feature Discovery, the device plugin, or both while they read their config file. */
export type UpstreamTool = 'gpu-feature-discovery' | 'device-plugin' | 'config-file';

/** A failure that NVIDIA's own tools would show on such a node. */
export interface UpstreamError {
  readonly tool: UpstreamTool;
  /** Upstream's message, verbatim (device plugin v0.20), so that it can be found in their logs. */
  readonly message: string;
  /** What to change to avoid it. */
  readonly advice: string;
}
