import { ServerClock } from '../../src/kube/request.ts';
import type { ControllerWorld } from './controller-world.ts';

/** What a process may be ahead of the API server, which it knows from the dates of answers, or behind it, in ms. */
export const leadersClocks = [0, 3_600_000, -3_600_000, 4_000, -4_000] as const;
/** How far those who lead may be from each other: none follows the API server in what is less than 5 s. */
export const clockSlackMs = 10_000;

/** The world as a process sees it whose machine's clock is ahead of the API server's. @param aheadMs negative: behind */
export function withClock(world: ControllerWorld, aheadMs: number): ControllerWorld {
  if (aheadMs === 0) return world;
  const steadyMs = (): number => world.timeline.now + aheadMs;
  const clock = new ServerClock(steadyMs);
  if (!world.hasBug('TrustOwnClock')) clock.see(new Date(world.timeline.now).toUTCString(), steadyMs(), steadyMs());
  const timeline = overlay(world.timeline, {
    get now() {
      return clock.nowMs();
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
