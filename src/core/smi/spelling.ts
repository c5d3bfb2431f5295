const hex = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const gpuUuid = new RegExp(`^GPU-${hex}$`);
/** Drivers before 470 name a MIG device by its GPU and its ids: `MIG-GPU-…/7/0`. */
const migUuid = new RegExp(`^MIG-(?:${hex}|(GPU-${hex})/\\d{1,3}/\\d{1,3})$`);
/** The list of attributes is open, since drivers add some; what precedes them is not. */
const profileName = /^(?:([1-9])c\.)?([1-9]\d?)g\.\d{1,4}gb(?:[+-][\w.,+-]{1,32})?$/;

/** True for the UUID of a GPU as nvidia-smi spells it. */
export function isGpuUuid(text: string): boolean {
  return gpuUuid.test(text);
}

/** True for the UUID of a MIG device of this GPU. */
export function isMigUuid(text: string, gpu: string): boolean {
  const [match, owner = gpu] = migUuid.exec(text) ?? [];
  return match !== undefined && owner === gpu;
}

/** True for the name of a GPU instance profile: `1g.5gb`, `1g.24gb+me.all`. */
export function isInstanceProfile(text: string): boolean {
  const [match, part] = profileName.exec(text) ?? [];
  return match !== undefined && part === undefined;
}

/** True for the name of a compute instance profile: as above, or a part of it, `1c.3g.20gb`. The whole is never spelled `3c.3g.20gb`. */
export function isComputeProfile(text: string): boolean {
  const [match, part = '0', whole] = profileName.exec(text) ?? [];
  return match !== undefined && Number(part) < Number(whole);
}

/** True for a product name: printable, and not empty. */
export function isProduct(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,78}[\x21-\x7e])?$/.test(text);
}

/** True for a driver version: `550.163.01`. */
export function isDriverVersion(text: string): boolean {
  return /^\d{3,4}\.\d{1,3}(?:\.\d{1,3})?$/.test(text);
}

/** A number as nvidia-smi prints it, of at most so many digits; undefined for anything else. */
export function readCount(text: string | undefined, digits: number = 10): number | undefined {
  return text !== undefined && text.length <= digits && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** True for what stands in place of a value that a GPU does not have. */
export function isNotAvailable(text: string | undefined): boolean {
  return text === 'N/A' || text === '[N/A]';
}
