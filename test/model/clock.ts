import type { ControllerWorld } from './controller-world.ts';

/** The world as a process sees it whose clock is ahead of the API server's. @param aheadMs negative: behind */
export function withClock(world: ControllerWorld, aheadMs: number): ControllerWorld {
  if (aheadMs === 0) return world;
  const timeline = overlay(world.timeline, {
    get now() {
      return world.timeline.now + aheadMs;
    },
  });
  return overlay(world, { timeline });
}

/** An object with some members replaced. */
function overlay<Target extends object>(target: Target, own: Partial<Target>): Target {
  return new Proxy(target, {
    get: (whole, key) => {
      if (key in own) return Reflect.get(own, key) as unknown;
      const value: unknown = Reflect.get(whole, key, whole);
      return typeof value === 'function' ? (value.bind(whole) as unknown) : value;
    },
  });
}
