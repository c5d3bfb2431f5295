import type { Geometry } from '../../core/gpu/geometry/geometry.ts';
import type { ComputeInstanceRow, InstanceRow } from '../../core/smi/instance-table.ts';
import type { Execution } from '../../core/smi/output.ts';
import type { ComputeProfileRow } from '../../core/smi/profile-table.ts';
import type { ReportedGpu } from '../../core/smi/report-parser.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { DeviceState, GpuInstanceState, GpuState } from '../../core/gpu/state/device-state.ts';

/** The GPUs of one node. GPUs are named by PCI bus id: once one GPU is lost, a UUID finds no other GPU either. */
export interface DeviceDriver {
  /** Everything, in two to seven processes. @throws DeviceError if the node as a whole cannot be read */
  readDevice(): Promise<DeviceState>;
  /** GPU instances of one GPU, without processes, UUIDs and attributes. @throws DeviceError */
  readInstances(gpu: string): Promise<readonly GpuInstanceState[]>;
  /** GPU instances of one GPU, without their contents. @throws DeviceError */
  listInstances(gpu: string): Promise<readonly InstanceRow[]>;
  /** Compute instances of all GPU instances of one GPU. @throws DeviceError */
  listComputeInstances(gpu: string): Promise<readonly ComputeInstanceRow[]>;
  /** Profiles and placements of one GPU in MIG mode, from the driver's own tables. @throws DeviceError */
  readTable(gpu: GpuState): Promise<Geometry>;
  /** Current MIG mode and processes of one GPU. @throws DeviceError */
  readUse(gpu: string): Promise<ReportedGpu>;
  /** Compute instance profiles that a GPU instance offers. @throws DeviceError */
  listComputeProfiles(gpu: string, instance: number): Promise<readonly ComputeProfileRow[]>;
  /**
   * Runs one operation. Its result proves nothing: exit code 0 may have done nothing, and another may have done everything.
   * @throws DeviceError if it could not be run at all
   */
  change(command: ChangeCommand): Promise<Execution>;
}
