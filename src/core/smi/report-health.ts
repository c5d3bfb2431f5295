import { isNotAvailable } from './spelling.ts';
import { textAt, type XmlElement } from './xml.ts';
import type { GpuHealth } from '../gpu/state/device-state.ts';
import { cutText, joinWithin } from '../text/cut-text.ts';

type Finding = GpuHealth | undefined;

/** Possible remedies, from the weakest to the strongest. */
const actions = ['Drain', 'Reset', 'Unknown', 'Reboot', 'Replace'] as const satisfies readonly GpuHealth['action'][];

/**
 * The problem that a report shows on a GPU; undefined if it shows none. Up to driver 565 it has `reset_required`; from 570 on that
 * is deprecated, and `gpu_recovery_action` replaces it; a missing value, or `N/A`, means nothing.
 */
export function readHealth(gpu: XmlElement): GpuHealth | undefined {
  const findings = [
    readRecovery(textAt(gpu, 'gpu_recovery_action')),
    isYes(textAt(gpu, 'gpu_reset_status', 'reset_required'), 'Reset', 'the driver asks for a reset'),
    isYes(
      textAt(gpu, 'gpu_reset_status', 'drain_and_reset_recommended'),
      'Reset',
      'the driver recommends to drain and reset it',
    ),
    isYes(textAt(gpu, 'remapped_rows', 'remapped_row_pending'), 'Reset', 'row remapping is pending'),
    isYes(textAt(gpu, 'remapped_rows', 'remapped_row_failure'), 'Replace', 'row remapping has failed'),
    isYes(textAt(gpu, 'retired_pages', 'pending_retirement'), 'Reset', 'page retirement is pending'),
    readEcc(textAt(gpu, 'ecc_mode', 'current_ecc'), textAt(gpu, 'ecc_mode', 'pending_ecc')),
  ].filter((finding) => finding !== undefined);
  if (findings.length === 0) return undefined;
  const most = Math.max(...findings.map(({ action }) => actions.indexOf(action)));
  return {
    action: actions[most] ?? 'Unknown',
    message: joinWithin([...new Set(findings.map(({ message }) => message))], 240, ', '),
  };
}

/**
 * The recovery actions (`nvmlDeviceGpuRecoveryAction_t`), as nvidia-smi prints them. The last two are new in 615, and only NVML's
 * names of them are published (`BUS_RESET`, `SYSTEM_REBOOT`): capitals and underscores make no difference. No command of nvidia-smi
 * is known to reset a GPU's bus; a reboot does.
 */
const recoveryActions: ReadonlyMap<string, GpuHealth['action']> = new Map([
  ['reset', 'Reset'],
  ['drain and reset', 'Reset'],
  ['drain p2p', 'Drain'],
  ['reboot', 'Reboot'],
  ['bus reset', 'Reboot'],
  ['system reboot', 'Reboot'],
]);

/** An unknown value of a later driver does not make the GPU trustworthy. */
function readRecovery(word: string | undefined): Finding {
  if (word === undefined || word === 'None' || word === '' || isNotAvailable(word)) return undefined;
  const message = `the driver’s recovery action is ${JSON.stringify(cutText(word.replace(/[^\x20-\x7e]/g, ' '), 40))}`;
  return { action: recoveryActions.get(word.toLowerCase().replaceAll('_', ' ')) ?? 'Unknown', message };
}

function isYes(text: string | undefined, action: GpuHealth['action'], message: string): Finding {
  return text === 'Yes' ? { action, message } : undefined;
}

function readEcc(current: string | undefined, pending: string | undefined): Finding {
  const isMode = (text: string | undefined): boolean => text === 'Enabled' || text === 'Disabled';
  if (!isMode(current) || !isMode(pending) || current === pending) return undefined;
  return { action: 'Reset', message: `ECC mode ${pending} is pending` };
}
