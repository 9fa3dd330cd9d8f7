import type { IncomingHttpHeaders } from 'node:http';
import { OrderProblem } from './problem.ts';

const TENANT = 'x-hasura-tenant-id';

/**
 * The tenant that a request speaks for, from the claim header that Portico sets.
 *
 * The header is believed because only Portico can reach this service: it drops whatever a client sends under this name
 * and puts in what the verified token says.
 *
 * @throws Problem `tenant-missing` when there is none, or not exactly one.
 */
export function tenantOfHeaders(headers: IncomingHttpHeaders): number {
  return tenantOf(headers[TENANT]);
}

/** The same for an action webhook, which gets the claims in its body. */
export function tenantOfSession(variables: Readonly<Record<string, string>>): number {
  return tenantOf(variables[TENANT]);
}

function tenantOf(claim: unknown): number {
  // Two headers of one name arrive joined by a comma, and are refused here with everything else that is not a number.
  if (typeof claim !== 'string' || !/^[1-9]\d{0,9}$/.test(claim))
    throw new OrderProblem('tenant-missing', `${TENANT} is required: call this service through Portico`);
  return Number(claim);
}
