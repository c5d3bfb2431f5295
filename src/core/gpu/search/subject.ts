import type { Geometry } from '../geometry/geometry.ts';
import type { GpuModel } from '../geometry/model.ts';

/** The GPU that a question is about: for names of other driver branches, and its name in a refusal. */
export interface Subject {
  /** Built-in model of the GPU if the geometry is a live one. */
  readonly model?: GpuModel;
  /** Its common name: `A100-SXM4-40GB`. */
  readonly gpuName?: string;
}

/** Completes a subject from a geometry that is itself a model of the built-in table. */
export function completeSubject(geometry: Geometry | GpuModel, subject: Subject): Subject {
  return subject.model === undefined && 'id' in geometry ? { ...subject, model: geometry } : subject;
}

/** `A100-40GB`, or `this GPU` if nothing is known. */
export function nameSubject({ gpuName, model }: Subject): string {
  return gpuName ?? model?.id.toUpperCase() ?? 'this GPU';
}
