import type { NodeView } from '../core/node/node-view.ts';
import type { KubeObject } from '../kube/resource.ts';

/** A Node from the API server, without the parts that nobody reads. */
export type NodeObject = KubeObject & NodeView;
