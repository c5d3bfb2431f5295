/** `NAMESPACE/NAME`, as the agents' reports name pods. */
export function podName({
  metadata,
}: {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}
