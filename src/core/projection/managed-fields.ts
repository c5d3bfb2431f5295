/** Managed fields are half of an object, and nobody here reads them. */
export function stripManagedFields<T extends { readonly metadata: { readonly managedFields?: readonly unknown[] } }>(
  object: T,
): T {
  const { managedFields: _unused, ...metadata } = object.metadata;
  return { ...object, metadata };
}
