import type { Assertions, ServiceAssertion } from './assertions.ts';

/** The metadata about a source's assertions: whether the source receives them, and for which audience. */
export type ServiceAssertionMetadata = boolean | { readonly audience: string } | null | undefined;

/**
 * Returns the signer for a source. `assertion` is absent if the source receives none.
 *
 * @param name the audience unless the metadata names another.
 * @param assertions undefined if the gateway has no key.
 */
export function resolveAssertion(
  described: ServiceAssertionMetadata,
  name: string,
  assertions: Assertions | undefined,
): { readonly assertion: ServiceAssertion | undefined } | { readonly problem: string } {
  if (!described) return { assertion: undefined };
  if (!assertions) return { problem: 'service_assertion requires the setting PORTICO_ASSERTION_KEY' };
  return { assertion: assertions.forAudience(described === true ? name : described.audience) };
}
