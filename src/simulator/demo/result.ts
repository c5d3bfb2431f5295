import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { Rig } from '../rig/rig.ts';
import type { ClusterView } from './cluster-view.ts';
import { drawNode } from './fleet-picture.ts';
import { composeLastScreen } from './last-screen.ts';
import { demoNodes } from './nodes.ts';
import type { Screen } from './screen.ts';

/** Which node each pod of samples/workloads must land on. */
export const expectedNodes: Readonly<Record<string, string>> = { notebook: 'sim-a30', 'small-model': 'sim-a100' };

export async function showResult(
  screen: Screen,
  rig: Rig,
  controlPlane: ControlPlane,
  view: ClusterView,
): Promise<void> {
  const ask = async (...args: string[]): Promise<{ readonly title: string; readonly text: string }> => {
    const { stdout, stderr } = await controlPlane.kubectl(args);
    return { title: `kubectl ${args.slice(0, 2).join(' ')}`, text: stdout || stderr };
  };
  const [pictures, nodes, pods, ...tables] = await Promise.all([
    drawNodes(rig, view),
    view.nodes(),
    view.pods(),
    ask('get', 'gpp'),
    ask('get', 'gpn', ...demoNodes.map(({ name }) => name)),
  ]);
  const lines = composeLastScreen(
    {
      pictures,
      tables,
      pods: pods
        .filter(({ metadata }) => metadata.name in expectedNodes)
        .map(({ metadata, spec }) => `${metadata.name}: ${spec.nodeName ?? 'no node'}`),
      nodes: demoNodes.flatMap(({ name, strategy }) =>
        nodes.flatMap(({ metadata }) => (metadata.name === name ? [{ ...metadata, strategy }] : [])),
      ),
    },
    process.env['VERBOSE'] === '1',
  );
  for (const { text, isTitle } of lines) {
    if (isTitle) screen.title(text);
    else screen.line(text);
  }
}

export async function drawNodes(rig: Rig, view: ClusterView): Promise<readonly string[]> {
  const partitions = await view.partitions();
  const rows = demoNodes.map(async (node) => {
    const partition = partitions.find(({ metadata }) => metadata.name === node.name);
    return drawNode(node, partition, await rig.deviceState(node.name));
  });
  return (await Promise.all(rows)).flat();
}
