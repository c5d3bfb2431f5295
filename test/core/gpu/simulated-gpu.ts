import type { Geometry } from '../../../src/core/gpu/geometry.ts';
import type { Instance } from '../../../src/core/gpu/grid.ts';
import type { Step } from '../../../src/core/gpu/plan.ts';

interface GpuInstance {
  readonly profile: string;
  readonly start: number;
  computeInstances: string[];
}

/**
 * A GPU that does steps one by one and objects, by throwing, to whatever a real one would refuse: overlapping units, more instances
 * or compute slices than there are, a GPU instance destroyed while it has compute instances, anything that does not exist.
 */
export class StrictGpu {
  readonly #geometry: Geometry;
  #instances: GpuInstance[];

  constructor(geometry: Geometry, have: readonly Instance[]) {
    this.#geometry = geometry;
    this.#instances = have.map(({ profile, start, computeInstances }) => ({
      profile,
      start,
      computeInstances: [...(computeInstances ?? [profile])],
    }));
  }

  /** Instances as `3g.20gb@4[1c.3g.20gb,2c.3g.20gb]`, by start. */
  get state(): readonly string[] {
    return this.#instances
      .toSorted((a, b) => a.start - b.start)
      .map(({ profile, start, computeInstances }) => `${profile}@${start}[${computeInstances.toSorted().join()}]`);
  }

  execute(step: Step): void {
    switch (step.action) {
      case 'DestroyComputeInstances':
        for (const name of step.computeInstances) this.#destroyComputeInstance(this.#find(step), name);
        return;
      case 'DestroyInstance':
        this.#destroyInstance(step);
        return;
      case 'CreateInstance':
        this.#createInstance(step);
        return;
      case 'CreateComputeInstances':
        for (const name of step.computeInstances) this.#createComputeInstance(this.#find(step), name);
    }
  }

  #find({ profile, start }: Step): GpuInstance {
    const found = this.#instances.find((instance) => instance.profile === profile && instance.start === start);
    if (found === undefined) throw new Error(`no ${profile} at ${start}`);
    return found;
  }

  #destroyInstance(step: Step): void {
    const instance = this.#find(step);
    for (const name of step.computeInstances) this.#destroyComputeInstance(instance, name);
    if (instance.computeInstances.length > 0) throw new Error(`${step.profile} at ${step.start} is in use`);
    this.#instances = this.#instances.filter((other) => other !== instance);
  }

  #createInstance(step: Step): void {
    const profile = this.#profileOf(step.profile);
    if (!profile.starts.includes(step.start)) throw new Error(`${step.profile} cannot start at ${step.start}`);
    for (const { profile: name, start } of this.#instances) {
      const { memorySlices } = this.#profileOf(name);
      if (step.start < start + memorySlices && start < step.start + profile.memorySlices)
        throw new Error(`${step.profile} at ${step.start} overlaps ${name} at ${start}`);
    }
    const created: GpuInstance = { profile: step.profile, start: step.start, computeInstances: [] };
    this.#instances.push(created);
    const same = this.#instances.filter(({ profile: name }) => name === step.profile);
    if (same.length > profile.maxInstances) throw new Error(`too many ${step.profile}`);
    const compute = this.#instances.reduce((sum, { profile: name }) => sum + this.#profileOf(name).computeSlices, 0);
    if (compute > this.#geometry.computeSlices) throw new Error(`${compute} compute slices`);
    for (const name of step.computeInstances) this.#createComputeInstance(created, name);
  }

  #createComputeInstance(instance: GpuInstance, name: string): void {
    instance.computeInstances.push(name);
    const total = this.#profileOf(instance.profile).computeSlices;
    const used = instance.computeInstances.reduce((sum, each) => sum + Number(/^(\d+)c\./.exec(each)?.[1] ?? total), 0);
    if (used > total) throw new Error(`${used} of ${total} slices of ${instance.profile} at ${instance.start}`);
  }

  #destroyComputeInstance(instance: GpuInstance, name: string): void {
    const index = instance.computeInstances.indexOf(name);
    if (index === -1) throw new Error(`no ${name} on ${instance.profile} at ${instance.start}`);
    instance.computeInstances.splice(index, 1);
  }

  #profileOf(name: string): Geometry['profiles'][number] {
    const profile = this.#geometry.profiles.find((candidate) => candidate.name === name);
    if (profile === undefined) throw new Error(`no profile ${name}`);
    return profile;
  }
}
