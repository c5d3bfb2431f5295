/** A failure that NVIDIA's own tools would show on such a node. */
export interface UpstreamError {
  /** Upstream's message, verbatim (device plugin v0.20), so that it can be found in their logs. */
  readonly message: string;
  /** What to change to avoid it. */
  readonly advice: string;
}
