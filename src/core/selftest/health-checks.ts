import { findModel } from '../gpu/geometry/model-lookup.ts';
import type { ReportedGpu } from '../smi/report-parser.ts';
import type { DeviceState } from '../gpu/state/device-state.ts';
import type { CheckVerdict, SelftestCheck } from './selftest.ts';

/** Whether each GPU is healthy according to the driver. */
export function checkHealth({ gpus, lost }: DeviceState): readonly SelftestCheck[] {
  const say = (verdict: CheckVerdict, message: string): SelftestCheck => ({ area: 'Health', verdict, message });
  return [
    ...gpus.map(({ index, product, mig, migCapable, health, fault }) => {
      const name = `GPU ${index} (${product.replace(/^NVIDIA /, '')})`;
      if (fault !== undefined) return say('Finding', `${name}: ${fault.code}: ${fault.message}`);
      if (health !== undefined) {
        const cure = `what helps: ${health.action}; it is not repartitioned before that`;
        return say('Finding', `${name}: ${health.message}; ${cure}`);
      }
      if (!migCapable) return say('Note', `${name} has no MIG and is left alone`);
      if (mig !== undefined && mig.current !== mig.pending) {
        const pending = `${mig.pending} is pending: a reset of the GPU or a reboot ends that`;
        return say('Finding', `${name}: MIG mode is ${mig.current} and ${pending}`);
      }
      return say('Good', `${name}: well, MIG mode ${mig?.current ?? 'unknown'}`);
    }),
    ...lost.map(({ pciBusId, fault }) => say('Finding', `GPU at ${pciBusId} does not answer: ${fault.message}`)),
  ];
}

/** NVIDIA's services, its module, and display servers: their names are not secret. */
const knownServices = /^(?:nv-|nvsm|nvidia-|dcgm|Xorg|gnome-shell|the module )/;

/**
 * Why a GPU reset would be refused: persistence mode, modules, and programs of the host that are not GPU workloads.
 *
 * @param openers who has a GPU open on the host: `nv-hostengine (pid 1811, nvidia-dcgm.service)`
 */
export function checkResetClients(gpus: readonly ReportedGpu[], openers: readonly string[]): readonly SelftestCheck[] {
  const capable = gpus.filter(({ migCapable }) => migCapable);
  if (capable.length === 0) return [];
  const needsReset = capable.some(({ product }) => findModel(product)?.resetToChangeMode !== false);
  const persistent = gpus.flatMap(({ isPersistent }, index) => (isPersistent === true ? [index] : []));
  const workers = new Set(gpus.flatMap(({ processes }) => processes.map(({ pid }) => pid)));
  const notes: readonly Omit<SelftestCheck, 'area' | 'verdict'>[] = [
    ...(persistent.length > 0
      ? [
          {
            message: `GPU ${persistent.join(', ')}: persistence mode is on; it is switched off for a reset, and on again after it`,
          },
        ]
      : []),
    ...openers
      .filter((opener) => !workers.has(pidOf(opener)))
      .map((opener) => {
        const what = 'keeps a GPU open: stop it before a reset or a change of MIG mode';
        const isKnown = knownServices.test(opener);
        return {
          message: `${opener} ${what}`,
          ...(isKnown ? {} : { redacted: `a program (pid ${pidOf(opener)}) ${what}` }),
        };
      }),
  ];
  const why = needsReset
    ? 'a change of MIG mode needs a reset here'
    : 'a change of MIG mode needs no reset here, a sick GPU does';
  if (notes.length === 0)
    return [{ area: 'Reset', verdict: 'Good', message: `nothing of the host holds a GPU; ${why}` }];
  return [...notes, { message: why }].map((note) => ({ area: 'Reset', verdict: 'Note', ...note }));
}

function pidOf(opener: string): number | undefined {
  const [, pid] = / \(pid (\d+)/.exec(opener) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
