import type { ProcessGroup } from '../../bench/machine/index.ts';
import type { BalancerAddresses, Balancing } from './balancer-addresses.ts';
import { haproxy } from './haproxy.ts';
import { nginx } from './nginx.ts';
import { plainBalancer } from './plain-balancer.ts';
import { findProgram } from './programs.ts';

export const BALANCERS = ['haproxy', 'nginx', 'plain'] as const;

/** `plain` is the suite's own, which passes bytes on and asks /readyz. */
export type BalancerName = (typeof BALANCERS)[number];

export interface Balancer extends Balancing {
  readonly name: BalancerName;
}

export function isInstalled(name: BalancerName): boolean {
  return name === 'plain' || findProgram(name) !== undefined;
}

/** Starts a balancer. @returns undefined where it is not installed. */
export async function startBalancer(
  name: BalancerName,
  group: ProcessGroup,
  wiring: BalancerAddresses,
): Promise<Balancer | undefined> {
  if (name === 'plain') return { name, stop: await plainBalancer(wiring) };
  const balancing = await (name === 'haproxy' ? haproxy : nginx)(group, wiring);
  return balancing && { name, ...balancing };
}
