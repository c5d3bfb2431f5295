/**
 * A product name as GPU Feature Discovery writes it into `nvidia.com/gpu.product`: characters outside `[A-Za-z0-9-_. ]`
 * dropped, words joined by `-`.
 */
export function toProductLabel(product: string): string {
  return product
    .replaceAll(/[^A-Za-z0-9\-_. ]/g, '')
    .trim()
    .split(/\s+/)
    .join('-');
}

/**
 * Normalises a product name in any form: upper case, words joined by `-`, without `NVIDIA`, without what GPU Feature Discovery
 * appends under strategy single (`-MIG-1g.5gb`) and under sharing (`-SHARED`).
 */
export function normalizeProduct(text: string): string {
  return text
    .trim()
    .toUpperCase()
    .replace(/[-_ ]SHARED$/, '')
    .replace(/[-_ ]MIG[-_ ](?:\d+C\.)?(?:\d+G\.\d+GB[A-Z0-9.+-]*|INVALID)$/, '')
    .split(/[^A-Z0-9.]+/)
    .filter((word) => word !== '' && word !== 'NVIDIA')
    .join('-');
}
