import { SecretComparison } from '../../../platform/index.ts';
import {
  type DeliveriesMetadata,
  type Environment,
  type ProducerMetadata,
  resolveVariable,
  type ValuePath,
} from '../../metadata/index.ts';
import { MIN_SECRET_LENGTH } from '../../webhooks/calls/index.ts';
import { matchesAny, tenantsOf } from './match.ts';

/** A service that posts events. */
export interface Producer {
  readonly name: string;
  /** The tenants that the producer may name. Undefined for all. */
  readonly tenants: ReadonlySet<string> | undefined;
  mayPost(attribute: 'source' | 'type', value: string): boolean;
  /** Returns whether `shown` is the producer's current or previous secret. */
  hasSecret(shown: Buffer): boolean;
}

/** The characters that a bearer token can contain. */
const BEARER = /^[\x21-\x7e]+$/;

type ReportProblem = (message: string, path: ValuePath) => void;

/** Opens the producers. Reports everything that does not fit the environment. */
export function openProducers(
  { producers }: DeliveriesMetadata,
  environment: Environment,
  report: ReportProblem,
): readonly Producer[] {
  const used = new Map<string, string>();
  return producers.map((producer, index) => {
    const secrets = secretsOf(producer, environment, (message, key) => report(message, ['producers', index, key]));
    for (const secret of secrets) {
      const other = used.get(secret);
      // With a shared secret, the producer of an event would be ambiguous.
      if (other !== undefined && other !== producer.name)
        report(`"${producer.name}" and "${other}" have the same secret`, ['producers', index, 'secret_from_env']);
      used.set(secret, producer.name);
    }
    const comparison = new SecretComparison(secrets);
    return {
      name: producer.name,
      tenants: tenantsOf(producer),
      mayPost: (attribute, value) =>
        attribute === 'type' ? matchesAny(producer.types, value) : mayBeSource(producer.sources, value),
      hasSecret: (shown) => comparison.matches(shown),
    };
  });
}

/** A dot segment, which readers of URI references resolve to another path (RFC 3986 section 5.2.4). */
const SOURCE_DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\?#]|%2f|%5c)/i;

/**
 * Returns whether a pattern matches the source. `/orders/../users` begins like `/orders/*`, but resolves to another producer's
 * source.
 */
function mayBeSource(patterns: readonly string[], source: string): boolean {
  return patterns.includes(source) || (!SOURCE_DOT_SEGMENT.test(source) && matchesAny(patterns, source));
}

function secretsOf(
  producer: ProducerMetadata,
  environment: Environment,
  report: (message: string, key: string) => void,
): readonly string[] {
  return (['secret_from_env', 'previous_secret_from_env'] as const).flatMap((key) => {
    const variable = producer[key];
    if (variable == null) return [];
    const resolved = resolveVariable(variable, environment);
    if ('problem' in resolved) report(resolved.problem, key);
    else if (resolved.text.length < MIN_SECRET_LENGTH)
      report(`the secret in ${variable} must have at least ${MIN_SECRET_LENGTH} characters`, key);
    else if (!BEARER.test(resolved.text))
      report(`the secret in ${variable} must have printable characters without spaces`, key);
    else return [resolved.text];
    return [];
  });
}

/**
 * Returns the producer whose secret the request shows. All secrets are compared, so that the duration does not reveal which one
 * matched.
 */
export function producerOf(authorization: string | undefined, producers: readonly Producer[]): Producer | undefined {
  const shown = /^Bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1];
  if (shown === undefined) return undefined;
  // Node.js reads header values as Latin-1, but a secret is UTF-8.
  const bytes = Buffer.from(shown, 'latin1');
  return producers.filter((producer) => producer.hasSecret(bytes))[0];
}
