import type { Request } from 'express';

/** Returns the registered route of a request, with the path of its router. Undefined if no route has handled it. */
export function routeOf({ route, baseUrl }: Request): string | undefined {
  const path: unknown = route?.path;
  return typeof path === 'string' ? `${baseUrl}${path}` : undefined;
}
