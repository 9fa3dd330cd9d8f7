import type { Assertions, ServiceAssertion } from './assertions.ts';

/** What the metadata says of a source's assertions: whether it gets them, and under which audience. */
export type ServiceAssertionMetadata = boolean | { readonly audience: string } | null | undefined;

/**
 * What signs for a source; without `assertion` where the source gets none.
 *
 * @param name the audience, where the metadata does not say another.
 * @param assertions undefined where the gateway has no key.
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
