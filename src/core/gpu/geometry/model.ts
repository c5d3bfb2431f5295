import type { Geometry, Profile } from './geometry.ts';
import type { SourceId } from './sources.ts';

export type Architecture = 'ampere' | 'hopper' | 'blackwell';

/**
 * How sure a value is. `observed`: printed by the driver on such a GPU and published by its owner; `documented`: stated by
 * NVIDIA or by a tool that NVIDIA ships; `inferred`: follows from the family of the chip, a hint until the driver is read.
 */
export type Confidence = 'observed' | 'documented' | 'inferred';

/** A value of a profile that a source can state. */
export type ProfileField = 'name' | 'id' | 'memorySlices' | 'starts' | 'maxInstances' | 'engines';

/** A board that carries the chip. */
export interface Product {
  /** As nvidia-smi prints it: `NVIDIA A100-SXM4-40GB`; drivers before R470 print no `NVIDIA `. */
  readonly name: string;
  /** Device and vendor as NVML and mig-parted write them: `0x20B010DE`; absent for an integrated GPU. */
  readonly pciDeviceId?: string;
  /** True if it is a guess that this board is this model: only its full name with `NVIDIA` finds it. */
  readonly uncertain?: boolean;
}

/** A profile of the built-in table. */
export interface ModelProfile extends Profile {
  /** Fields that no published source states for this model. */
  readonly inferred: readonly ProfileField[];
}

/** One GPU model of the built-in table: every board of it has the same MIG geometry. */
export interface GpuModel extends Geometry {
  /** Canonical id: `a100-40gb`. */
  readonly id: string;
  readonly chip: string;
  readonly architecture: Architecture;
  readonly products: readonly Product[];
  /** PCI ids that tools list for this geometry but whose board name is unpublished. */
  readonly unnamedPciDeviceIds?: readonly string[];
  /** Other names by which tools call the model: `h100-96gb`. */
  readonly otherIds?: readonly string[];
  readonly profiles: readonly ModelProfile[];
  /** Memory of the whole GPU, as `nvidia-smi --query-gpu=memory.total` prints it. */
  readonly memoryMiB?: number;
  /** Streaming multiprocessors of the whole GPU with MIG off. */
  readonly multiprocessors?: number;
  /** True if MIG mode becomes current only after a GPU reset (Ampere). */
  readonly resetToChangeMode: boolean;
  /** True if MIG mode is stored on the board (Ampere); else it is lost with the driver. Instances survive nowhere. */
  readonly modeSurvivesReboot: boolean;
  /** First driver that offers MIG on it. */
  readonly minDriver?: string;
  /** The weakest evidence among the names and placements of its plain profiles (without `+me` and the like). */
  readonly confidence: Confidence;
  /** Where its profile names and placements come from. */
  readonly sources: readonly SourceId[];
  /** True if newer drivers show another table on the same board; found by its id only. */
  readonly superseded?: boolean;
}
