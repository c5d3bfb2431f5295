import { readFile } from 'node:fs/promises';
import { auditFileOf, readAuditLog } from '../../src/simulator/control-plane/components.ts';
import { findControlPlane } from '../../src/simulator/control-plane/build.ts';
import { type ControlPlane, startControlPlane } from '../../src/simulator/control-plane/start.ts';
import { installRights } from '../../src/simulator/rig/install.ts';
import { Baseline } from './baseline.ts';

/** `alone`: it must find nothing of others, and may leave anything. `shared`: it has names of its own, and disturbs no other such suite. */
export type Use = 'alone' | 'shared';

interface Warm {
  readonly controlPlane: ControlPlane;
  readonly baseline: Baseline;
  /** Since it was as its baseline says. */
  readonly use: Use | undefined;
}

/** Idle, one takes a fortieth of a core: a start costs as much as four minutes of it. */
const idleMs = 240_000;

/** mocha's workers keep modules from file to file, and each runs one file at a time. */
let idle: Warm | undefined;
let timer: NodeJS.Timeout | undefined;
const lent = new Set<{ isSpoiled: boolean }>();

/**
 * A control plane with all parts, the audit log, CRDs and RBAC: that of the file before, brought back to where it began, or a new one.
 * `stop()` gives it back. One that was killed or restored in between, or a test of which failed, is not used again.
 */
export async function borrowCluster(use: Use): Promise<ControlPlane> {
  clearTimeout(timer);
  const found = idle;
  idle = undefined;
  const { controlPlane, baseline } = (found && (await ready(found, use))) ?? (await startWarm());
  const loan = { isSpoiled: false };
  lent.add(loan);
  const spoiled = (): ControlPlane => {
    loan.isSpoiled = true;
    return controlPlane;
  };
  const auditFile = auditFileOf(controlPlane.folder);
  const auditedBefore = await completeBytes(auditFile);
  const giveBack = async (): Promise<void> => {
    if (!lent.delete(loan)) return;
    if (loan.isSpoiled || idle) return controlPlane.stop();
    idle = { controlPlane, baseline, use };
    timer = setTimeout(() => void stopIdle(), idleMs).unref();
  };
  return {
    ...controlPlane,
    auditedWrites: () => readAuditLog(auditFile, auditedBefore),
    killApiServer: () => spoiled().killApiServer(),
    startApiServer: () => spoiled().startApiServer(),
    backUp: () => spoiled().backUp(),
    restore: (backup) => spoiled().restore(backup),
    stop: giveBack,
    [Symbol.asyncDispose]: giveBack,
  };
}

/** After a failure nothing is sure about those that are lent now. */
export function spoilLent(): void {
  for (const loan of lent) loan.isSpoiled = true;
}

/** Ends the one that waits for a suite, if any. */
export async function stopIdle(): Promise<void> {
  clearTimeout(timer);
  const found = idle;
  idle = undefined;
  await found?.controlPlane.stop();
}

/** @returns undefined if it cannot be used again, and was stopped */
async function ready(found: Warm, use: Use): Promise<Warm | undefined> {
  if (found.use === undefined || (found.use === 'shared' && use === 'shared')) return found;
  try {
    await found.baseline.restore();
    return found;
  } catch (error) {
    process.stderr.write(
      `a control plane is not used again: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    await found.controlPlane.stop();
    return undefined;
  }
}

async function startWarm(): Promise<Warm> {
  const binaries = await findControlPlane({
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  const controlPlane = await startControlPlane({ binaries, auditLog: true });
  try {
    await installRights(controlPlane);
    return { controlPlane, baseline: await Baseline.take(controlPlane), use: undefined };
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

/** Without a line that is still being written. */
async function completeBytes(file: string): Promise<number> {
  return (await readFile(file).catch(() => Buffer.alloc(0))).lastIndexOf('\n') + 1;
}
