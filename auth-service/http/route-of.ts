import type { Request } from 'express';

/** The route of a request as it was registered, with what its router is below. Undefined where no route has taken it. */
export function routeOf({ route, baseUrl }: Request): string | undefined {
  const path: unknown = route?.path;
  return typeof path === 'string' ? `${baseUrl}${path}` : undefined;
}
