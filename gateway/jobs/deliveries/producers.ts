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
  /** The tenants that it may name; undefined: all. */
  readonly tenants: ReadonlySet<string> | undefined;
  mayPost(attribute: 'source' | 'type', value: string): boolean;
  /** Whether this is its secret, or the one before it. */
  hasSecret(shown: Buffer): boolean;
}

/** What can be sent as a bearer token. */
const BEARER = /^[\x21-\x7e]+$/;

type ReportProblem = (message: string, path: ValuePath) => void;

/** Opens the producers. What does not fit the environment is reported. */
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
      // Whose events would they be?
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

/** A segment that leads out of a path, as readers of URI references resolve it (RFC 3986 section 5.2.4). */
const SOURCE_DOT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\?#]|%2f|%5c)/i;

/** Whether one of the patterns has the source. `/orders/../users` begins like `/orders/*`, and is another one's. */
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

/** The producer whose secret a request shows; all are compared, so that the time does not tell which it is. */
export function producerOf(authorization: string | undefined, producers: readonly Producer[]): Producer | undefined {
  const shown = /^Bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1];
  if (shown === undefined) return undefined;
  // Node.js reads header values as Latin-1, a secret is UTF-8.
  const bytes = Buffer.from(shown, 'latin1');
  return producers.filter((producer) => producer.hasSecret(bytes))[0];
}
