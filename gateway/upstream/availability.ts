/** `Retry-After` for an unavailable source, in seconds: the interval of introspection retries. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

/**
 * Whether a source has been introspected since it was opened. Until then its schema may come from a file, but no
 * requests are sent to it.
 */
export class Availability {
  isAvailable = false;
}
