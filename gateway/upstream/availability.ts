/** `Retry-After` for an unavailable source, in seconds: the interval at which sources are introspected again. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

/**
 * Whether a source has been introspected since it was opened. Until then it may be known by a stored schema, which says
 * what can be asked for and is no reason to send anything.
 */
export class Availability {
  isAvailable = false;
}
