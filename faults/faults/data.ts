import type { Fault } from '../fault.ts';

export const data: readonly Fault[] = [
  {
    name: 'a full data directory',
    group: 'data',
    promise: 'what cannot be stored is refused with an error, all else goes on, nothing stored is lost',
    missing: ({ data }) => (data.ballast ? undefined : 'nothing may be mounted here'),
    allows: ({ kind }) => kind === 'placeOrder',
    isEffect: ({ kind }) => kind === 'placeOrder',
    // A write that was under way when there was room again.
    healsWithinSeconds: 3,
    checksWrites: true,
    async run({ cluster, load, wait, gone, onEnd, broken }) {
      const { ballast } = cluster.data;
      if (!ballast) return;
      onEnd(() => ballast.free());
      ballast.fill();
      await wait(4);
      // A gateway that starts now finds no room for schemas either.
      await cluster.gateways[0].restart();
      await wait(2);
      if (!load.attempts.some(({ kind, failure }) => kind === 'placeOrder' && failure))
        broken('orders were stored all the same');
      ballast.free();
      gone();
    },
  },
];
