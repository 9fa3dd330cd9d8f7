import { type Assertions, resolveAssertion } from '../../../access/assertions/index.ts';
import { methodNotAllowed, resourceNotFound } from '../../../errors.ts';
import {
  type Environment,
  type Metadata,
  MetadataError,
  type MetadataProblem,
  resolveHeaders,
  resolveUrl,
  type ServiceMetadata,
  type UnresolvedValue,
} from '../../../metadata/index.ts';
import type { TracedHeaders } from '../../../upstream/index.ts';
import type { IncomingRequest } from '../../http/index.ts';
import type { AnswerPolicy } from './answer-headers.ts';
import { type CallTracing, callTracing } from './call-span.ts';
import { isBelow, lenientPath } from './path-rules.ts';
import { type HeadersForService, headersForService } from './request-headers.ts';

/** A plain HTTP service of `services.yaml`. */
export interface Service {
  readonly metadata: ServiceMetadata;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly headersFor: HeadersForService;
  readonly tracing: CallTracing;
  readonly policy: AnswerPolicy;
  /** Converts a path of the gateway to the service's path. */
  pathFor(path: string): string;
}

/** The services of one version of the metadata. */
export interface Services {
  /** Returns the service whose prefix a path has, exactly as it is written. */
  find(path: string): Service | undefined;
  /** Returns whether a service could read the path as that of another service. */
  isUnclear(path: string): boolean;
}

/**
 * Opens the services. The longest path comes first: /api/orders/archive does not belong to /api/orders if another service has
 * it.
 *
 * @throws MetadataError if the metadata of a service does not fit the environment.
 */
export function openServices(
  metadata: Metadata,
  environment: Environment,
  credentialHeaders: readonly string[],
  assertions?: Assertions | undefined,
  traced?: TracedHeaders | undefined,
): Services {
  const problems: MetadataProblem[] = [];
  const opened = metadata.services.flatMap((service, index) => {
    const result = openService(service, environment, credentialHeaders, assertions, traced);
    if (!('problem' in result)) return [result];
    problems.push({ ...metadata.place('services', [index, ...result.path]), message: result.problem });
    return [];
  });
  if (problems.length > 0) throw new MetadataError(problems);
  const services = opened.sort((one, two) => two.metadata.path.length - one.metadata.path.length);
  const find = (path: string) => services.find((service) => isBelow(path, service.metadata.path));
  return {
    find,
    isUnclear: (path) => {
      const written = find(path);
      const lenient = lenientPath(path);
      return services.some(
        (service) =>
          service !== written &&
          service.metadata.path.length > (written?.metadata.path.length ?? 0) &&
          isBelow(lenient, service.metadata.path.toLowerCase()),
      );
    },
  };
}

function openService(
  metadata: ServiceMetadata,
  environment: Environment,
  credentialHeaders: readonly string[],
  assertions: Assertions | undefined,
  traced: TracedHeaders | undefined,
): Service | UnresolvedValue {
  const url = resolveUrl(metadata, environment);
  const configured = resolveHeaders(metadata.headers, environment);
  if ('problem' in url) return url;
  if ('problem' in configured) return { ...configured, path: ['headers', ...configured.path] };
  const resolved = resolveAssertion(metadata.service_assertion, metadata.name, assertions);
  if ('problem' in resolved) return { ...resolved, path: ['service_assertion'] };
  const { origin, pathname } = new URL(url.url);
  const base = pathname.replace(/\/$/, '');
  const { path, only_public_without_token: open, forward_client_headers: forwardsCredentials } = metadata;
  return {
    metadata,
    origin,
    tracing: callTracing(metadata.name, origin, traced),
    headersFor: headersForService(metadata, configured.headers, credentialHeaders, resolved.assertion),
    policy: {
      address: { origin, base, path },
      mayChallenge: forwardsCredentials,
      variesBy: open ? [] : [...credentialHeaders, 'x-hasura-role'],
    },
    pathFor: (requested) => base + requested.slice(path.length) || '/',
  };
}

/**
 * Rejects requests to addresses other than those that need no token. Paths are compared as they were sent, so that no other
 * spelling reaches more than the list.
 *
 * @throws GatewayError `not-found` or `method-not-allowed`
 */
export function refuseUnlessPublic({ metadata }: Service, { path, request }: IncomingRequest): void {
  const address = metadata.only_public_without_token?.find((listed) => listed.path === path);
  if (!address) throw resourceNotFound();
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (address.methods.some((listed) => listed === method)) return;
  const allow = address.methods.flatMap((listed) => (listed === 'GET' ? ['GET', 'HEAD'] : [listed])).join(', ');
  throw methodNotAllowed(allow, `expected the method ${allow}`);
}
