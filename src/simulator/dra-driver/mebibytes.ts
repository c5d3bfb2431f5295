/** A quantity as the API server prints it: `19968Mi`, `80Gi`. */
export function formatMebibytes(mebibytes: number): string {
  return mebibytes > 0 && mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}
