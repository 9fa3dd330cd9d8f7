import type { GraphQLError } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { type ApiLimits, apiLimit } from '../../metadata/index.ts';
import type { DocumentCost } from '../document/index.ts';
import { limitExceeded } from '../errors.ts';

/** The default limits. `api_limits.yaml` may override them. */
export interface OperationLimits {
  /**
   * The maximum number of tokens of a document. Tokens are counted before the client is known, so the limit applies to
   * all roles.
   */
  readonly maxTokens: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxAliases: number;
  readonly maxDirectives: number;
  readonly maxRepetition: number;
  readonly maxBatch: number;
  /** The maximum number of introspection fields of an operation or a whole batch. */
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
  /**
   * The maximum number of root fields `__schema` and `__type` in an operation or in all operations of a batch together.
   */
  readonly introspections: number;
  /** The time limit of an operation in seconds. */
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
 * The maximum number of operations in a batch of any role, including `admin`. This limit can be checked before the
 * client is known. Metadata may allow a role more than the default.
 */
export function batchCeiling(apiLimits: ApiLimits, defaults: OperationLimits): number {
  const { batch_limit: limit, disabled } = apiLimits;
  const allowed = disabled || !limit ? [] : [limit.global ?? 0, ...Object.values(limit.per_role)];
  return Math.max(defaults.maxBatch, ...allowed);
}

/** The error for the first limit that a document exceeds, with the limit's code. Undefined if it exceeds none. */
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
