/** `Retry-After` for an unavailable source, in seconds: the interval at which sources are introspected again. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

/**
 * Whether a source has been introspected since it was opened. Until then its schema may be known from a file, but
 * requests to it are not sent.
 */
export class Availability {
  isAvailable = false;
}
