import type { NodeView } from '../core/node/node-view.ts';
import type { KubeObject } from '../kube/resource.ts';

/** A Node from the API server, without its unused parts. */
export type NodeObject = KubeObject & NodeView;
