import type { HealthSign } from '../faults/fault.ts';
import type { ReportFacts } from '../nvml/gpu-facts.ts';
import { describeNvmlCode, NVML } from '../nvml/nvml-code.ts';
import { describeMigDevices } from './report-mig-devices.ts';
import type { ReportNode } from './report.ts';
import { group, leaf, since, until } from './report.ts';

const BOARD_PART = '692-2G506-0200-003';

/** Identity, modes and MIG devices: the first part of `-q`. */
export function describeIdentity(facts: ReportFacts): readonly ReportNode[] {
  const { branch, driver } = facts.driver;
  const firmware = leaf('GSP Firmware Version', 'gsp_firmware_version', branch < 525 ? 'N/A' : driver);
  return [
    leaf('Product Name', 'product_name', facts.board.productName),
    leaf('Product Brand', 'product_brand', 'NVIDIA'),
    ...since(525, facts, leaf('Product Architecture', 'product_architecture', facts.board.architecture)),
    leaf('Display Mode', 'display_mode', 'Disabled'),
    leaf('Display Active', 'display_active', 'Disabled'),
    leaf('Persistence Mode', 'persistence_mode', facts.persistence),
    ...since(530, facts, leaf('Addressing Mode', 'addressing_mode', 'N/A')),
    group('MIG Mode', 'mig_mode', [
      leaf('Current', 'current_mig', facts.migCurrent),
      leaf('Pending', 'pending_mig', facts.migPending),
    ]),
    ...describeMigDevices(facts),
    leaf('Accounting Mode', 'accounting_mode', 'Disabled'),
    leaf('Accounting Mode Buffer Size', 'accounting_mode_buffer_size', '4000'),
    group('Driver Model', 'driver_model', [leaf('Current', 'current_dm', 'N/A'), leaf('Pending', 'pending_dm', 'N/A')]),
    leaf('Serial Number', 'serial', facts.gpu.serial),
    leaf('GPU UUID', 'uuid', facts.gpu.uuid),
    leaf('Minor Number', 'minor_number', String(facts.gpu.index)),
    leaf('VBIOS Version', 'vbios_version', '92.00.36.00.10'),
    leaf('MultiGPU Board', 'multigpu_board', 'No'),
    leaf('Board ID', 'board_id', facts.boardId),
    ...since(525, facts, leaf('Board Part Number', 'board_part_number', BOARD_PART)),
    leaf('GPU Part Number', 'gpu_part_number', facts.driver.branch < 525 ? BOARD_PART : 'N/A'),
    ...since(530, facts, leaf('FRU Part Number', 'gpu_fru_part_number', 'N/A')),
    leaf('Module ID', 'gpu_module_id', 'N/A'),
    group('Inforom Version', 'inforom_version', [
      leaf('Image Version', 'img_version', 'G506.0200.00.05'),
      leaf('OEM Object', 'oem_object', '2.0'),
      leaf('ECC Object', 'ecc_object', '6.16'),
      leaf('Power Management Object', 'pwr_object', 'N/A'),
    ]),
    ...since(
      530,
      facts,
      group('Inforom BBX Object Flush', 'inforom_bbx_flush', [
        leaf('Latest Timestamp', 'latest_timestamp', 'N/A'),
        leaf('Latest Duration', 'latest_duration', 'N/A'),
      ]),
    ),
    group('GPU Operation Mode', 'gpu_operation_mode', [
      leaf('Current', 'current_gom', 'N/A'),
      leaf('Pending', 'pending_gom', 'N/A'),
    ]),
    ...until(535, facts, firmware),
    ...since(550, facts, leaf('GPU C2C Mode', 'c2c_mode', 'N/A')),
    group('GPU Virtualization Mode', 'gpu_virtualization_mode', [
      leaf('Virtualization Mode', 'virtualization_mode', facts.isVgpuHost ? 'Host VGPU' : 'None'),
      leaf('Host VGPU Mode', 'host_vgpu_mode', facts.isVgpuHost ? 'SR-IOV' : 'N/A'),
      ...since(550, facts, leaf('vGPU Heterogeneous Mode', 'vgpu_heterogeneous_mode', 'N/A')),
    ]),
    ...since(530, facts, describeResetStatus(facts)),
    ...describeRecovery(facts),
    ...since(550, facts, firmware),
    group('IBMNPU', 'ibmnpu', [leaf('Relaxed Ordering Mode', 'relaxed_ordering_mode', 'N/A')]),
  ];
}

/** Since driver 565, the two before the last since 615; from documentation, not recorded: of those two only NVML's names are known. */
const RECOVERY_ACTIONS: ReadonlyMap<HealthSign, string> = new Map([
  ['recoveryreset', 'Drain and Reset'],
  ['recoveryreboot', 'Reboot'],
  ['recoverydrain', 'Drain P2P'],
  ['recoverybus', 'Bus Reset'],
  ['recoverysystem', 'System Reboot'],
  ['recoveryother', 'Quiesce'],
]);

function describeRecovery({ health, driver }: ReportFacts): readonly ReportNode[] {
  const reported = [...health].flatMap((sign) => {
    // Where the older field is deprecated, the action says what it reported.
    if (sign === 'reset') return driver.deprecatesResetStatus ? ['Reset'] : [];
    return RECOVERY_ACTIONS.get(sign) ?? [];
  });
  const actions = reported.length === 0 && driver.hasRecoveryAction ? ['None'] : reported;
  return actions.map((action) => leaf('GPU Recovery Action', 'gpu_recovery_action', action));
}

function describeResetStatus({ health, driver }: ReportFacts): ReportNode {
  const [required, recommended] = driver.deprecatesResetStatus
    ? [describeNvmlCode(NVML.deprecated), describeNvmlCode(NVML.deprecated)]
    : [health.has('reset') ? 'Yes' : 'No', 'No'];
  return group('GPU Reset Status', 'gpu_reset_status', [
    leaf('Reset Required', 'reset_required', required),
    leaf('Drain and Reset Recommended', 'drain_and_reset_recommended', recommended),
  ]);
}
