/** Seconds after which it is worth trying again what needs a source that is not available: sources are asked that often. */
export const RETRY_AFTER_SECONDS = 5;

/**
 * Whether a source has told its schema since it was described. Until then it may be known by a stored schema, which says
 * what can be asked for and is no reason to send anything.
 */
export class Availability {
  isAvailable = false;
}
