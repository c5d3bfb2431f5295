import { isCompleted, countPhrase } from '../../core/smi/output.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import type { GpuInstanceState } from '../../core/gpu/state/device-state.ts';
import type { GpuSession } from './gpu-session.ts';

/**
 * Destroys GPU instances with their contents: one check of who uses them, one command for the compute instances, one for the GPU
 * instances. Each command stops at the first failure; if the failed one is gone anyway, the rest continues.
 *
 * @throws DeviceError InUse before any of them is touched
 */
export async function destroyInstances(session: GpuSession, instances: readonly GpuInstanceState[]): Promise<void> {
  if (instances.length === 0) return;
  const report = await session.demandFree('DestroyInstance', instances);
  for (const instance of instances) demandSame(session, instance, report);
  await emptyAll(
    session,
    instances.filter(({ computeInstances }) => computeInstances.length > 0),
  );
  await removeAll(session, instances);
}

async function emptyAll(session: GpuSession, instances: readonly GpuInstanceState[]): Promise<void> {
  if (instances.length === 0) return;
  const command: ChangeCommand = {
    name: 'DestroyComputeInstances',
    gpu: session.busId,
    instances: instances.map(({ id }) => id),
  };
  const execution = await session.run(command);
  if (isCompleted(execution)) return;
  const rows = await session.driver.listComputeInstances(session.busId);
  const isThere = (instance: number, part: number): boolean =>
    rows.some((row) => row.instance === instance && row.id === part);
  const left = instances.flatMap((one) => {
    const computeInstances = one.computeInstances.filter((part) => isThere(one.id, part.id));
    return computeInstances.length === 0 ? [] : [{ ...one, computeInstances }];
  });
  if (left.length === 0) return;
  const failure = /Unable to destroy compute instance ID +(\d+) from GPU +\d+ GPU instance ID +(\d+)/;
  const [part, failed] = (failure.exec(execution.stdout) ?? []).slice(1).map(Number);
  const isOurs = instances.some(
    ({ id, computeInstances }) => id === failed && computeInstances.some((one) => one.id === part),
  );
  if (isOurs && failed !== undefined && part !== undefined && !isThere(failed, part)) return emptyAll(session, left);
  throw await session.nameUsers(
    session.explainUndone(command, execution, left.find(({ id }) => id === failed) ?? left[0]),
  );
}

async function removeAll(session: GpuSession, instances: readonly GpuInstanceState[]): Promise<void> {
  const command: ChangeCommand = {
    name: 'DestroyInstances',
    gpu: session.busId,
    instances: instances.map(({ id }) => id),
  };
  const execution = await session.run(command);
  const isConfirmed = countPhrase(execution, 'Successfully destroyed GPU instance') === instances.length;
  if (isCompleted(execution) && isConfirmed) {
    session.believe(command, execution, instances);
    return;
  }
  const rows = await session.driver.listInstances(session.busId);
  const left = instances.filter(({ id, start }) => rows.some((row) => row.id === id && row.start === start));
  if (left.length === 0) return;
  const [, failed] = /Unable to destroy GPU instance ID +(\d+) from GPU/.exec(execution.stdout) ?? [];
  const held = left.find(({ id }) => id === Number(failed));
  const isOurs = failed !== undefined && instances.some(({ id }) => id === Number(failed));
  if (isOurs && held === undefined) return removeAll(session, left);
  throw await session.nameUsers(session.explainUndone(command, execution, held ?? left[0]));
}

/** An id is reusable right after a destroy: its current owner may be somebody else. */
function demandSame(session: GpuSession, instance: GpuInstanceState, report: ReportedGpu): void {
  const devices = report.migDevices.filter((device) => device.instance === instance.id);
  const isSame =
    devices.length === instance.computeInstances.length &&
    instance.computeInstances.every(({ id, attributes }) =>
      devices.some(
        (device) =>
          device.computeInstance === id &&
          (attributes === undefined ||
            (attributes.memoryMiB === device.memoryMiB && attributes.multiprocessors === device.multiprocessors)),
      ),
    );
  if (isSame) return;
  const found = 'it changed after the plan was made; it was not touched';
  throw session.explain('Unstable', { tried: 'to destroy it', found }, instance);
}
