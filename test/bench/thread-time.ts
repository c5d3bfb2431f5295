/**
 * CPU time of this thread so far, in ms. What blocks the event loop is work, not waiting, so that on an idle machine it equals what the clock
 * says; on a busy one the clock measures the others.
 */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
