/** How often a controller has ended because it could not renew its lease and its work did not end in time, by its log. */
export function countResigned(log: string): number {
  return log.match(/"message":"unhandled error, the process ends","error":"LeadershipLostError: /g)?.length ?? 0;
}
