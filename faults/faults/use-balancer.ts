import type { BalancerName } from '../cluster/index.ts';
import type { Scene } from '../fault.ts';

/** Puts another balancer in front for this fault. What that cuts is not Portico's. */
export async function useBalancer({ cluster, load, afterwards, wait }: Scene, name: BalancerName): Promise<void> {
  const before = cluster.balancer();
  if (before === name) return;
  afterwards(async () => {
    await cluster.balanceWith(before);
    await wait(2);
  });
  await cluster.balanceWith(name);
  await wait(3);
  load.forget();
}
