import { type Availability, UNAVAILABLE_RETRY_SECONDS } from '../availability.ts';
import { UpstreamError } from '../exchange.ts';
import type { Interceptor } from './interceptor.ts';

/** Rejects calls of a source whose schema has not been fetched yet, so that it is known by its stored schema only. */
export function requireAvailability(availability: Availability): Interceptor {
  return (next) => (request, handler) => {
    if (availability.isAvailable) next(request, handler);
    else handler.onError(unavailable());
  };
}

/** Why nothing is sent to a source whose schema has not been fetched yet. */
export function unavailable(): UpstreamError {
  return new UpstreamError('unavailable', undefined, UNAVAILABLE_RETRY_SECONDS);
}
