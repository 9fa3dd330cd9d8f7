import { type Availability, UNAVAILABLE_RETRY_SECONDS } from '../availability.ts';
import { UpstreamError } from '../errors.ts';
import type { Interceptor } from './interceptor.ts';

/** Rejects calls to a source that has not been introspected yet, so that only its stored schema is known. */
export function requireAvailability(availability: Availability): Interceptor {
  return (next) => (request, handler) => {
    if (availability.isAvailable) next(request, handler);
    else handler.onError(unavailable());
  };
}

/** The error for calls to a source that has not been introspected yet. */
export function unavailable(): UpstreamError {
  return new UpstreamError('unavailable', undefined, UNAVAILABLE_RETRY_SECONDS);
}
