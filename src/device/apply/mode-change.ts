import { DeviceError, type DeviceErrorCode } from '../../core/gpu/state/device-error.ts';
import type { GpuSession } from './gpu-session.ts';
import { classifyOutput, isCompleted, type Execution } from '../../core/smi/output.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { GpuState, MigMode } from '../../core/gpu/state/device-state.ts';

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
    const resume = error instanceof DeviceError && error.code === 'Pending' ? await session.pauseHost() : undefined;
    if (resume === undefined) throw error;
    try {
      return await tryMode(session, mode, (await session.driver.readUse(session.busId)).mig);
    } finally {
      await resume();
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

async function resetGpu(session: GpuSession): Promise<ResetResult> {
  const before = await session.demandFree('Reset');
  const execution = await session.run({ name: 'Reset', gpu: session.busId });
  if (before.isPersistent === true && judgeReset(execution) === 'Pending') return resetUnheld(session);
  return { execution, after: await session.driver.readUse(session.busId) };
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

/** Persistence mode holds the GPU like a client (gpu-operator #118): it is off for the reset, and on again whatever the result. */
async function resetUnheld(session: GpuSession): Promise<ResetResult> {
  await session.run({ name: 'SetPersistence', gpu: session.busId, on: false });
  let execution: Execution;
  try {
    await session.demandFree('Reset');
    execution = await session.run({ name: 'Reset', gpu: session.busId });
  } finally {
    await session.driver.change({ name: 'SetPersistence', gpu: session.busId, on: true });
  }
  return { execution, after: await session.driver.readUse(session.busId) };
}

/**
 * Virtual machines with the GPU passed through cannot reset it, and some resets succeed without effect (gpu-operator #1606). In a
 * refusal the reason follows the GPU; the sentence about processes below it appears whatever the reason.
 */
function judgeReset(execution: Execution): DeviceErrorCode {
  const reason = /^\s*GPU [0-9A-F:.]+: (.+)$/im.exec(execution.stdout)?.[1];
  const code = classifyOutput(reason === undefined ? execution : { ...execution, stdout: reason });
  if (code === 'InUse') return 'Pending';
  return code === 'NothingDone' || code === 'NotSupported' || code === 'ResetRequired' ? 'RebootRequired' : code;
}

/** True if the mode is set and no other is pending. */
export function isAt({ mig }: Pick<GpuState, 'mig'>, mode: MigMode): boolean {
  return mig?.current === mode && mig.pending === mode;
}

function quote({ rc, stdout }: Execution): string {
  return `exit code ${rc}, ${JSON.stringify(stdout.trim().replace(/\s+/g, ' ').slice(0, 160))}`;
}
