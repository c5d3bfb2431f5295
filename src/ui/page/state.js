/** What the page knows: nodes by name, and the newest of everything else. */
export const state = {
  nodes: new Map(),
  fleet: undefined,
  /** By the clock of the page: when what is shown was known to be current; undefined before anything came. */
  currentAt: undefined,
  /** gpu-partition ui itself does not answer. */
  isCutOff: false,
  waitingPods: undefined,
};
