import type { Geometry, Layout } from '../geometry/geometry.ts';
import type { GpuModel } from '../geometry/model.ts';
import type { Grid } from './grid.ts';
import type { Holds } from './nearest-layout.ts';

/** The GPU that a question is about: for names of other driver branches, and its name in a refusal. */
export interface Subject {
  /** Built-in model of the GPU if the geometry is a live one. */
  readonly model?: GpuModel | undefined;
  /** Its common name: `A100-SXM4-40GB`. */
  readonly gpuName?: string | undefined;
}

/** Whether a GPU can have a layout. */
export interface Question {
  readonly grid: Grid;
  readonly want: Layout;
  readonly subject: Subject;
  /** Which layouts may be offered instead. */
  readonly fits: Holds;
}

/** Completes a subject from a geometry that is itself a model of the built-in table. */
export function completeSubject(geometry: Geometry | GpuModel, subject: Subject): Subject {
  return subject.model === undefined && 'id' in geometry ? { ...subject, model: geometry } : subject;
}

/** `A100-40GB`, or `this GPU` if nothing is known. */
export function nameSubject({ gpuName, model }: Subject): string {
  return gpuName ?? model?.id.toUpperCase() ?? 'this GPU';
}
