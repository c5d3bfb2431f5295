/** What the page knows: nodes by name, and the newest of everything else. */
export const state = {
  nodes: new Map(),
  fleet: undefined,
  /** By the clock of the page: when what is shown was known to be current; undefined before anything came. */
  currentAt: undefined,
  /**
   * Why nothing comes from gpu-partition ui itself; undefined while it answers.
   * @type {string | undefined}
   */
  cutOff: undefined,
  waitingPods: undefined,
};
