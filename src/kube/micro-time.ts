/** A time as Kubernetes' MicroTime writes it: RFC 3339 with six digits of a second. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
