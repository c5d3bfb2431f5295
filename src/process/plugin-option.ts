import { InvalidArgumentError } from 'commander';
import { type LabelSelector, parseEqualitySelector } from '../core/pods/plugin-pods.ts';

interface ConfigMapName {
  readonly namespace: string;
  readonly name: string;
}

/** Parser of an option that takes labels of a device plugin. */
export function equalitySelector(text: string): LabelSelector {
  const selector = parseEqualitySelector(text);
  if (selector === undefined) throw new InvalidArgumentError('must be labels as in app=my-plugin,tier=gpu.');
  return selector;
}

/** Parser of an option that names a ConfigMap. */
export function configMapName(text: string): ConfigMapName {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(text) ?? [];
  if (namespace === undefined || name === undefined) throw new InvalidArgumentError('must be NAMESPACE/NAME.');
  return { namespace, name };
}
