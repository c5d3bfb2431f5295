import { existsSync, readFileSync } from 'node:fs';
import { describeNvmlCode } from '../nvml/nvml-code.ts';
import type { SimulatedGpu } from '../nvml/gpu.ts';
import { speaksOf } from './fault.ts';
import { parseFaults } from './fault-text.ts';

/**
 * Why a program that opens every GPU of the node fails, in the words of go-nvlib (NVIDIA/k8s-device-plugin#338): one GPU that is lost
 * is enough. Undefined if all open. Lines with `nth` count commands of nvidia-smi, and are left out.
 */
export function failureToOpen(gpus: readonly SimulatedGpu[], faultsFile: string | undefined): string | undefined {
  if (faultsFile === undefined || !existsSync(faultsFile)) return undefined;
  const rules = parseFaults(readFileSync(faultsFile, 'utf8')).filter(({ nth }) => nth === undefined);
  for (const { index } of gpus)
    for (const rule of rules)
      if (rule.effect.kind === 'fail' && speaksOf(rule, 'DeviceGetHandleByIndex_v2', { gpu: index }, []))
        return `error getting device handle for index '${index}': ${describeNvmlCode(rule.effect.code)}`;
  return undefined;
}
