import { isSubdomain } from '../../core/text/label-syntax.ts';
import type { KubeClient } from '../../kube/client.ts';
import { CliError } from '../exit.ts';

/** What a command explains. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * @param own the context's namespace
 * @param kind in messages
 * @throws CliError if the text is not a name, or names another namespace than the option
 */
export function readName(text: string, namespace: string | undefined, own: string, kind: string): ObjectName {
  const [first = '', second, ...rest] = text.split('/');
  if (second === undefined) return checked(namespace ?? own, first, kind);
  if (first === '' || second === '' || rest.length > 0)
    throw new CliError(`${JSON.stringify(text)} is not of the form NAMESPACE/NAME`);
  if (namespace !== undefined && namespace !== first)
    throw new CliError(`the ${kind} is in ${first} or in ${namespace}: name one namespace`);
  return checked(first, second, kind);
}

function checked(namespace: string, name: string, kind: string): ObjectName {
  if (!isSubdomain(namespace)) throw new CliError(`${JSON.stringify(namespace)} is not the name of a namespace`);
  if (!isSubdomain(name)) throw new CliError(`${JSON.stringify(name)} is not the name of a ${kind}`);
  return { namespace, name };
}

export function ownNamespace({ config }: KubeClient): string {
  return config.getContextObject(config.currentContext)?.namespace || 'default';
}
