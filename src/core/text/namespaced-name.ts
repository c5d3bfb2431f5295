/** `NAMESPACE/NAME` */
export function namespacedName({
  namespace = 'default',
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return `${namespace}/${name}`;
}
