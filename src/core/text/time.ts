/** RFC 3339 in whole seconds, as Kubernetes' metav1.Time writes it: `2026-01-01T12:00:00Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
