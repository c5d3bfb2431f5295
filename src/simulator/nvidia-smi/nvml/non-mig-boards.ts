/** GPUs without MIG, by product name, for mixed nodes: data sheets and the CUDA GPU list. */
export const NON_MIG_BOARDS = new Map([
  ['Tesla T4', board('Turing', '7.5', '0x1EB810DE', 15360, 70, 1590, 5001, 3)],
  ['Tesla V100-SXM2-16GB', board('Volta', '7.0', '0x1DB110DE', 16384, 300, 1530, 877, 3)],
  ['Tesla V100-SXM2-32GB', board('Volta', '7.0', '0x1DB510DE', 32768, 300, 1530, 877, 3)],
  ['Tesla V100-PCIE-32GB', board('Volta', '7.0', '0x1DB610DE', 32768, 250, 1380, 877, 3)],
  ['NVIDIA L4', board('Ada Lovelace', '8.9', '0x27B810DE', 23034, 72, 2040, 6251, 4)],
  ['NVIDIA L40', board('Ada Lovelace', '8.9', '0x26B510DE', 46068, 300, 2490, 9001, 4)],
  ['NVIDIA L40S', board('Ada Lovelace', '8.9', '0x26B910DE', 46068, 350, 2520, 9001, 4)],
  ['NVIDIA A10', board('Ampere', '8.6', '0x223610DE', 23028, 150, 1695, 6251, 4)],
  ['NVIDIA A40', board('Ampere', '8.6', '0x223510DE', 46068, 300, 1740, 7251, 4)],
]);

function board(
  architecture: string,
  computeCapability: string,
  pciDeviceId: string,
  memoryMiB: number,
  powerLimitWatts: number,
  graphicsMHz: number,
  memoryMHz: number,
  pcieGeneration: number,
) {
  return {
    architecture,
    computeCapability,
    pciDeviceId,
    memoryMiB,
    powerLimitWatts,
    graphicsMHz,
    memoryMHz,
    pcieGeneration,
  };
}
