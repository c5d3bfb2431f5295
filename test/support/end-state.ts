import { ownTaints, type TestRig } from './rig.ts';

/** What a change has come to on a node, by what must be equal however it came about. */
export async function readEndState(rig: TestRig, name: string): Promise<object> {
  const [partition, node] = await Promise.all([rig.partition(name), rig.node(name)]);
  const { wish, granted } = partition.spec;
  return {
    labels: node.metadata.labels,
    allocatable: node.status.allocatable,
    taints: ownTaints(node),
    wish: wish?.gpus,
    granted: granted?.gpus,
    layout: partition.status?.layout,
    phase: partition.status?.phase,
    device: withoutIds(await rig.rig.deviceState(name)),
  };
}

/** Facts of a device state without the ids, which depend on what was there before, and what is random in the names of pods. */
function withoutIds(state: string): readonly string[] {
  return state
    .split('\n')
    .map((line) =>
      line
        .replace(/^gi (\d+) \d+ /, 'gi $1 ')
        .replace(/^ci (\d+) \d+ \d+ /, 'ci $1 ')
        .replace(/^proc gpu (\d+) gi \d+ ci \d+ pid \d+ (.*)-[a-z0-9]{5}(\/\S+)$/, 'proc gpu $1 $2$3'),
    )
    .toSorted();
}
