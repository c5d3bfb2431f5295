import { findModel } from './model-lookup.ts';

/**
 * Why a driver cannot partition a GPU; undefined if it can, as far as published. An older one may show the GPU in MIG mode and then
 * refuse what a plan and the way back from it need.
 */
export function explainOldDriver(product: string, driverVersion: string | undefined): string | undefined {
  const needed = findModel(product)?.minDriver;
  if (needed === undefined || driverVersion === undefined || !isOlderDriver(driverVersion, needed)) return undefined;
  return `driver ${driverVersion} is too old for MIG on this GPU: it takes ${needed} or later`;
}

/** True if version `one` comes before `other`: 550.90.07 before 550.163.01. */
export function isOlderDriver(one: string, other: string): boolean {
  const [parts, others] = [one, other].map((version) => version.split('.').map(Number));
  const at = others?.findIndex((part, index) => (parts?.[index] ?? 0) !== part) ?? -1;
  return at !== -1 && (parts?.[at] ?? 0) < (others?.[at] ?? 0);
}
