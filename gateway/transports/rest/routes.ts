import type { RestEndpoint } from '../../metadata/index.ts';

/** The prefix of all endpoints' paths. */
export const REST_PREFIX = '/api/rest/';

/** An endpoint that matches a request's path. */
export interface Route {
  readonly endpoint: RestEndpoint;
  /** The path with the names of its parameters. */
  readonly template: string;
  /** Values of the `:name` segments, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds the endpoints that match a path, the preferred one first. From the left, a literal segment precedes a parameter.
 * Endpoints of equal rank differ in their methods.
 *
 * @param path the part after `/api/rest/`, percent-encoded as it was sent. A path that cannot be decoded has no endpoint.
 */
export type FindRoutes = (path: string) => readonly Route[];

/** Compiles the endpoints of one version of the metadata for `FindRoutes`. */
export function createRoutes(endpoints: readonly RestEndpoint[]): FindRoutes {
  const patterns = endpoints
    .map((endpoint) => ({
      endpoint,
      template: `${REST_PREFIX}${endpoint.metadata.url}`,
      pattern: endpoint.metadata.url.split('/'),
    }))
    .sort((one, two) => compareText(precedence(one.pattern), precedence(two.pattern)));
  return (path) => {
    const segments = decodeSegments(path);
    return patterns.flatMap(({ endpoint, template, pattern }) => {
      const parameters = segments && matchSegments(pattern, segments);
      return parameters ? [{ endpoint, template, parameters }] : [];
    });
  };
}

export function isParameter(segment: string): boolean {
  return segment.startsWith(':');
}

function precedence(pattern: readonly string[]): string {
  return pattern.map((segment) => (isParameter(segment) ? '1' : '0')).join('');
}

function compareText(one: string, two: string): number {
  return one < two ? -1 : Number(one > two);
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
    if (isParameter(expected) && segment !== '') parameters[expected.slice(1)] = segment;
    else if (expected !== segment) return undefined;
  }
  return parameters;
}
