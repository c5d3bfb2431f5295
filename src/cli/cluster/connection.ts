import { type Command, Option } from 'commander';
import { ApiError, isNotFound } from '../../kube/api-error.ts';
import { KubeClient } from '../../kube/client.ts';
import { loadKubeConfig } from '../../kube/kubeconfig-loader.ts';
import type { ListOptions, Selection } from '../../kube/call-options.ts';
import type { KubeObject, ObjectRef, Resource } from '../../kube/resource.ts';
import { group } from '../../api/names.ts';
import type { Source } from '../../core/view/freshness.ts';
import { CliError } from '../exit.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** Options of every command that queries a cluster. */
export interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** They would have no effect on a saved cluster, where a command takes one. */
export function addConnectionOptions(command: Command): Command {
  const kubeconfig = 'kubeconfig file; otherwise $KUBECONFIG, the pod’s service account, or ~/.kube/config';
  return command
    .addOption(new Option('--kubeconfig <file>', kubeconfig).conflicts('snapshot'))
    .addOption(new Option('--context <name>', 'context in the kubeconfig').conflicts('snapshot'));
}

/**
 * @param fieldManager the API server records it as the owner of what is written
 * @throws CliError if no cluster is configured
 */
export function connect(options: ConnectionOptions, fieldManager = 'gpu-partition'): KubeClient {
  try {
    const client = new KubeClient(loadKubeConfig(options), fieldManager);
    client.config.getCurrentCluster();
    return client;
  } catch (error) {
    throw new CliError(`no cluster to ask: ${messageOf(error)}`, 3, { cause: error });
  }
}

/** The cluster that a client asks, for people. */
export function sourceOf({ config }: KubeClient): Source {
  return { context: config.currentContext, server: config.getCurrentCluster()?.server ?? '' };
}

/** What could not be determined is code 3, with the API server's message. */
export function ask<T>(what: string, request: () => Promise<T>): Promise<T> {
  return attempt(`cannot read ${what}`, request);
}

/** An object; undefined if there is none. @param what it is, in messages */
export function find<T extends KubeObject>(client: KubeClient, what: string, ref: ObjectRef): Promise<T | undefined> {
  return ask(what, () => client.find<T>(ref));
}

/** @throws CliError with code 3, this failure and the API server's message */
export async function attempt<T>(failure: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CliError(`${failure}: ${error.message}`, 3, { cause: error });
  }
}

/** Merges into an object if it is there. @returns whether it is */
export function mergeFound(
  client: KubeClient,
  failure: string,
  ...[ref, patch, options]: Parameters<KubeClient['merge']>
): Promise<boolean> {
  return attempt(failure, async () => {
    try {
      await client.merge(ref, patch, options);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  });
}

/** All objects of a resource. */
export async function listAll<T extends KubeObject>(client: KubeClient, resource: Resource): Promise<readonly T[]> {
  return ask(resource.plural, async () => {
    try {
      return (await client.list<T>(resource)).items;
    } catch (error) {
      if (!isNotFound(error) || resource.group !== group) throw error;
      const advice = 'kubectl apply -k config/crd installs them';
      throw new CliError(`this cluster has no ${resource.plural}: the operator’s CRDs are not there; ${advice}`, 3, {
        cause: error,
      });
    }
  });
}

/** The same for objects that the user may not list, or that the API server does not serve: undefined then. */
export async function listAllowed<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  selection: Selection = {},
  options: ListOptions = {},
): Promise<readonly T[] | undefined> {
  return ask(resource.plural, async () => {
    try {
      return (await client.list<T>(resource, selection, options)).items;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
      throw error;
    }
  });
}
