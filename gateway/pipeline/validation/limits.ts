import type { GraphQLError } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { type ApiLimits, apiLimit } from '../../metadata/index.ts';
import type { DocumentCost } from '../document/index.ts';
import { limitExceeded } from '../errors.ts';

/** The defaults of the limits, where `api_limits.yaml` sets no others. */
export interface OperationLimits {
  /** The most tokens of a document. They are counted while it is parsed, before the caller is known: for every role. */
  readonly maxTokens: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxAliases: number;
  readonly maxDirectives: number;
  readonly maxRepetition: number;
  readonly maxBatch: number;
  /** The most introspection fields of an operation, and of a batch as a whole. */
  readonly maxIntrospections: number;
}

/** The limits of one role. The role `admin` has none. */
export interface RoleLimits {
  readonly depth: number;
  readonly nodes: number;
  readonly aliases: number;
  readonly directives: number;
  readonly repetition: number;
  readonly batch: number;
  /** Root fields `__schema` and `__type` of an operation, and of all operations of a batch together. */
  readonly introspections: number;
  /** How long an operation may run. */
  readonly seconds: number | undefined;
}

const UNLIMITED: RoleLimits = {
  depth: Number.POSITIVE_INFINITY,
  nodes: Number.POSITIVE_INFINITY,
  aliases: Number.POSITIVE_INFINITY,
  directives: Number.POSITIVE_INFINITY,
  repetition: Number.POSITIVE_INFINITY,
  batch: Number.POSITIVE_INFINITY,
  introspections: Number.POSITIVE_INFINITY,
  seconds: undefined,
};

export function limitsOf(role: string, apiLimits: ApiLimits, defaults: OperationLimits): RoleLimits {
  if (role === ADMIN_ROLE) return UNLIMITED;
  return {
    depth: apiLimit(apiLimits, 'depth_limit', role) ?? defaults.maxDepth,
    nodes: apiLimit(apiLimits, 'node_limit', role) ?? defaults.maxNodes,
    aliases: defaults.maxAliases,
    directives: defaults.maxDirectives,
    repetition: defaults.maxRepetition,
    batch: apiLimit(apiLimits, 'batch_limit', role) ?? defaults.maxBatch,
    introspections: defaults.maxIntrospections,
    seconds: apiLimit(apiLimits, 'time_limit', role),
  };
}

/**
 * The most operations that a batch of any role may hold, `admin` included: the limit that can be checked before the
 * caller is known. Metadata may allow a role more than the default.
 */
export function batchCeiling(apiLimits: ApiLimits, defaults: OperationLimits): number {
  const { batch_limit: limit, disabled } = apiLimits;
  const allowed = disabled || !limit ? [] : [limit.global ?? 0, ...Object.values(limit.per_role)];
  return Math.max(defaults.maxBatch, ...allowed);
}

/** The error for the first limit that a document exceeds, with that limit's code; undefined when it exceeds none. */
export function exceededLimit(cost: DocumentCost, limits: RoleLimits): GraphQLError | undefined {
  if (cost.depth > limits.depth)
    return limitExceeded('depth-limit-exceeded', `the operation is ${cost.depth} levels deep`, limits.depth);
  if (cost.nodes > limits.nodes)
    return limitExceeded('node-limit-exceeded', `the operation selects ${cost.nodes} nodes`, limits.nodes);
  if (cost.aliases > limits.aliases)
    return limitExceeded('alias-limit-exceeded', `the operation has ${cost.aliases} aliases`, limits.aliases);
  if (cost.directives > limits.directives)
    return limitExceeded(
      'directive-limit-exceeded',
      `the document has ${cost.directives} directives`,
      limits.directives,
    );
  if (cost.introspections > limits.introspections)
    return limitExceeded(
      'introspection-limit-exceeded',
      `the operation asks for the schema ${cost.introspections} times`,
      limits.introspections,
    );
  if (cost.repetition > limits.repetition)
    return limitExceeded('repetition-limit-exceeded', 'the document repeats fields too often', limits.repetition);
  return undefined;
}
