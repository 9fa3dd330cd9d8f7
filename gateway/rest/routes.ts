import type { RestEndpoint, RestMethod } from '../metadata/index.ts';

export interface Route {
  readonly endpoint: RestEndpoint;
  /** Values of the `:name` segments, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a path under /api/rest/ leads to: the endpoint for the method, or the methods that there are. */
export type Match = Route | { readonly allowed: readonly RestMethod[] };

/**
 * Finds the endpoint for a path. A literal segment is preferred to a parameter.
 *
 * @param path what follows `/api/rest/`, percent-encoded as it was sent.
 * @returns undefined when no endpoint has this path, or it cannot be decoded.
 */
export function matchRoute(endpoints: readonly RestEndpoint[], method: string, path: string): Match | undefined {
  const segments = decodeSegments(path);
  if (!segments) return undefined;
  const matching = endpoints
    .flatMap((endpoint) => {
      const parameters = matchSegments(endpoint.metadata.url.split('/'), segments);
      return parameters ? [{ endpoint, parameters }] : [];
    })
    .sort((one, two) => Object.keys(one.parameters).length - Object.keys(two.parameters).length);
  if (matching.length === 0) return undefined;
  const route = matching.find(({ endpoint }) => endpoint.metadata.methods.some((allowed) => allowed === method));
  return route ?? { allowed: [...new Set(matching.flatMap(({ endpoint }) => endpoint.metadata.methods))] };
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (expected.startsWith(':') && segment !== '') parameters[expected.slice(1)] = segment;
    else if (expected !== segment) return undefined;
  }
  return parameters;
}
