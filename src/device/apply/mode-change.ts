import { DeviceError, type DeviceErrorCode } from '../../core/gpu/state/device-error.ts';
import type { GpuSession } from './gpu-session.ts';
import { classifyOutput, describeEnd, isCompleted, wordsOf, type Execution } from '../../core/smi/output.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { GpuState, MigMode } from '../../core/gpu/state/device-state.ts';
import { cutText } from '../../core/text/cut-text.ts';

/**
 * Brings MIG mode of a GPU without instances to `mode`. Hopper and later switch at once; on Ampere the new mode is pending until
 * a reset of the GPU, for which nobody may have it open.
 *
 * @param known the mode as last read, not yet the wanted one
 * @returns the GPU afterwards, read back: the exit code proves nothing
 * @throws DeviceError Pending, ResetRequired, RebootRequired, NotSupported, InUse and others
 */
export async function changeMode(session: GpuSession, mode: MigMode, known: GpuState['mig']): Promise<ReportedGpu> {
  try {
    return await tryMode(session, mode, known);
  } catch (error) {
    if (!(error instanceof DeviceError) || error.code !== 'Pending') throw error;
    try {
      if (!(await session.host.stopUnits())) throw error;
      return await tryMode(session, mode, (await session.driver.readUse(session.busId)).mig);
    } finally {
      await session.host.startUnits();
    }
  }
}

async function tryMode(session: GpuSession, mode: MigMode, known: GpuState['mig']): Promise<ReportedGpu> {
  // Interrupted before its reset: setting the mode again usually changes nothing.
  const isLeftPending = known?.pending === mode && session.mayReset;
  const reset = isLeftPending ? await resetGpu(session) : undefined;
  if (reset !== undefined && isAt(reset.after, mode)) return reset.after;
  let before = known?.current === mode ? await session.driver.readUse(session.busId) : undefined;
  // The current mode is right, and only the pending one must be reverted: no running work is disturbed.
  if (before?.mig?.current !== mode) before = await session.demandFree('ChangeMode');
  if (isAt(before, mode)) return before;
  const command: ChangeCommand = { name: 'SetMode', gpu: session.busId, mode };
  const execution = await session.run(command);
  const after = await session.driver.readUse(session.busId);
  if (isAt(after, mode)) return after;
  if (after.mig?.pending !== mode) throw session.explainUndone(command, execution);
  if (!session.mayReset) {
    const details = { tried: `to set MIG mode ${mode}`, found: `it is pending: ${quote(execution)}` };
    if (classifyOutput(execution) === 'InUse') throw session.explainOpen(details, after);
    throw session.explain('ResetRequired', details);
  }
  const last = reset ?? (await resetGpu(session));
  if (isAt(last.after, mode)) return last.after;
  if (last.after.mig?.pending !== mode) throw session.explainUndone(command, execution);
  const found = `it stays pending after an attempt to reset the GPU: ${quote(last.execution)}`;
  const details = { tried: `to set MIG mode ${mode}`, found };
  const code = judgeReset(last.execution);
  throw code === 'Pending' ? session.explainOpen(details, last.after) : session.explain(code, details);
}

interface ResetResult {
  readonly execution: Execution;
  readonly after: ReportedGpu;
}

/** Persistence mode holds the GPU like a client (gpu-operator #118): it is off for the reset, and on again whatever the result. */
async function resetGpu(session: GpuSession): Promise<ResetResult> {
  const { isPersistent = false } = await session.demandFree('Reset');
  const execution = isPersistent
    ? await resetUnheld(session)
    : await session.run({ name: 'Reset', gpu: session.busId });
  return { execution, after: await session.driver.readUse(session.busId) };
}

async function resetUnheld(session: GpuSession): Promise<Execution> {
  const gpu = session.busId;
  await session.host.takePersistence(gpu);
  try {
    await session.run({ name: 'SetPersistence', gpu, on: false });
    await session.demandFree('Reset');
    return await session.run({ name: 'Reset', gpu });
  } finally {
    await session.host.restorePersistence();
  }
}

/**
 * Resets an empty GPU whose driver asks for it.
 * @throws DeviceError if the reset is refused, or does not help
 */
export async function recoverGpu(session: GpuSession): Promise<ReportedGpu> {
  const { execution, after } = await resetGpu(session);
  const details = { tried: 'to reset the GPU', found: quote(execution) };
  const code = judgeReset(execution);
  if (!isCompleted(execution))
    throw code === 'Pending' ? session.explainOpen(details, after) : session.explain(code, details);
  if (after.health === undefined) return after;
  throw session.explain('Unhealthy', { ...details, found: `after it: ${after.health.message}` });
}

/**
 * Virtual machines with the GPU passed through cannot reset it, and some resets succeed without effect (gpu-operator #1606). In a
 * refusal the reason follows the GPU; the sentence about processes below it appears whatever the reason.
 */
function judgeReset(execution: Execution): DeviceErrorCode {
  const reason = /^\s*GPU [0-9A-F:.]+: (.+)$/im.exec(execution.stdout)?.[1];
  const code = classifyOutput(reason === undefined ? execution : { ...execution, stdout: reason, stderr: '' });
  if (code === 'InUse') return 'Pending';
  return code === 'NothingDone' || code === 'NotSupported' || code === 'ResetRequired' ? 'RebootRequired' : code;
}

/** True if the mode is set and no other is pending. */
export function isAt({ mig }: Pick<GpuState, 'mig'>, mode: MigMode): boolean {
  return mig?.current === mode && mig.pending === mode;
}

function quote(execution: Execution): string {
  return `${describeEnd(execution)}, ${JSON.stringify(cutText(wordsOf(execution).trim().replace(/\s+/g, ' '), 160))}`;
}
