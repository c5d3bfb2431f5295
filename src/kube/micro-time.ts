/** A time in the format of Kubernetes' MicroTime: RFC 3339 with six digits of a second. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
