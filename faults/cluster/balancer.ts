import type { Crew } from '../../bench/machine/index.ts';
import { haproxy } from './haproxy.ts';
import { nginx } from './nginx.ts';
import { plainBalancer } from './plain-balancer.ts';
import { findProgram } from './programs.ts';

export const BALANCERS = ['haproxy', 'nginx', 'plain'] as const;

/** `plain` is the suite's own, which passes bytes on and asks /readyz. */
export type BalancerName = (typeof BALANCERS)[number];

/** What a balancer connects, as `host:port`. */
export interface Wiring {
  /** Where clients come. */
  readonly publicAddress: string;
  /** Where gateways come to reach auth services. */
  readonly authAddress: string;
  /** Where clients come with TLS, and the files of the certificate; undefined: without TLS. */
  readonly tls: { readonly address: string; readonly certificate: string; readonly key: string } | undefined;
  /** How many requests at a time one client may have. Default: that of the example configuration. */
  readonly maxRequestsPerAddress?: number;
  readonly gateways: readonly [string, string];
  readonly authServices: readonly [string, string];
}

export interface Balancing {
  stop(): Promise<void>;
}

export interface Balancer extends Balancing {
  readonly name: BalancerName;
}

export function isInstalled(name: BalancerName): boolean {
  return name === 'plain' || findProgram(name) !== undefined;
}

/** Starts a balancer. @returns undefined where it is not installed. */
export async function startBalancer(name: BalancerName, crew: Crew, wiring: Wiring): Promise<Balancer | undefined> {
  if (name === 'plain') return { name, stop: await plainBalancer(wiring) };
  const balancing = await (name === 'haproxy' ? haproxy : nginx)(crew, wiring);
  return balancing && { name, ...balancing };
}
