import type { Way, Ways } from './counters.ts';
import type { KnownDevices } from './known-devices.ts';
import type { AttemptStore, Waiting } from './store.ts';

/** An attempt that was counted, or has to wait. */
export type Admission = { readonly way: Way } & (
  | {
      readonly admitted: true;
      /** Gives back what was counted. */
      giveBack(): Promise<void>;
      /** The same after a right secret: the way's own counter is cleared, and the device is known from now on. */
      succeed(at: Date): Promise<void>;
    }
  | ({ readonly admitted: false } & Waiting)
);

/** What an attempt would find. */
export interface Look {
  readonly way: Way;
  readonly waiting: Waiting | undefined;
  /** The device is known from now on. */
  remember(at: Date): Promise<void>;
}

/** Where attempts come in: finds out which way one goes, and counts there. */
export interface Entrance {
  /** Counts one failure in each counter that binds the attempt, or in none when somebody has to wait for one of them. */
  enter(ways: Ways, at: Date): Promise<Admission>;
  /** The same without counting. */
  look(ways: Ways, at: Date): Promise<Look>;
}

/** Asks for the device first and then for the counters, which may be kept elsewhere. */
export function entranceOf(store: AttemptStore, devices: KnownDevices): Entrance {
  async function wayOf(ways: Ways, at: Date) {
    const device = await devices.find(ways.deviceKey, at);
    const remember = (then: Date) => devices.remember(ways.deviceKey, then, device);
    return { way: device ? ways.known : ways.stranger, remember };
  }
  return {
    async enter(ways, at) {
      const { way, remember } = await wayOf(ways, at);
      const taken = await store.take(way.binding, at.getTime());
      if (!taken.admitted) return { way, ...taken };
      return {
        way,
        admitted: true,
        giveBack: () => taken.give(),
        async succeed(then) {
          await remember(then);
          await taken.give([way.own]);
        },
      };
    },
    async look(ways, at) {
      const { way, remember } = await wayOf(ways, at);
      return { way, waiting: await store.waiting(way.binding, at.getTime()), remember };
    },
  };
}
