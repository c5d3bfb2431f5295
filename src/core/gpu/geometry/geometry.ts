/** In the order of `nvidia-smi mig -lgip`. */
export const ENGINE_KINDS = ['copy', 'decoder', 'encoder', 'jpeg', 'ofa'] as const;

/** Hardware engines of a GPU instance or of a whole GPU, as `nvidia-smi mig -lgip` counts them. */
export type Engines = Readonly<Record<(typeof ENGINE_KINDS)[number], number>>;

/** One GPU instance profile of a model, such as `1g.5gb` of an A100-40GB. */
export interface Profile {
  /** Name as nvidia-smi prints it, without `MIG `: `1g.5gb`, `1g.5gb+me`, `2g.48gb-me`. */
  readonly name: string;
  /** GPU instance profile id as `nvidia-smi mig -cgi` takes it; absent if unpublished. */
  readonly id?: number;
  /** Compute slices that an instance takes. */
  readonly computeSlices: number;
  /** Placement size in the units of the GPU's placement grid (memory slices; 12 units on RTX PRO 6000); 0 if unknown. */
  readonly memorySlices: number;
  /** Starts at which an instance may be placed, ascending, in placement units; empty if unpublished. */
  readonly starts: readonly number[];
  /** Most instances of this profile on one GPU. */
  readonly maxInstances: number;
  readonly engines: Engines;
  /** Usable memory of an instance in MiB. The driver's number wins: driver versions differ. */
  readonly memoryMiB?: number;
  /** Streaming multiprocessors of an instance. The driver's number wins. */
  readonly multiprocessors?: number;
  /** Names that other driver branches print for the same profile (`7g.79gb` for `7g.80gb`): read, never written. */
  readonly formerNames?: readonly string[];
}

/**
 * What is needed to judge a layout on a GPU: the totals and the profiles. Either from the built-in table
 * ({@link GpuModel}) or read from the driver (`-lgip`, `-lgipp`), which always overrides the table.
 */
export interface Geometry {
  readonly computeSlices: number;
  /** Size of the placement grid; 0 if instances have no placement (Thor, which has no memory of its own). */
  readonly memorySlices: number;
  /** Engines of the whole GPU that limit a layout; absent where they never bind before slices do. */
  readonly engines?: Engines;
  /** In the order of `nvidia-smi mig -lgip`. */
  readonly profiles: readonly Profile[];
  /** Sets of profile names of which a GPU holds at most one instance in total (Thor); absent if there are none. */
  readonly exclusive?: readonly (readonly string[])[];
}

/** Profile name to count, for one GPU: `{"1g.5gb": 2, "3g.20gb": 1}`. A count is a positive integer. */
export type Layout = Readonly<Record<string, number>>;
