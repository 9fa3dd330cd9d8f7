import type { GraphQLError } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { apiLimit, type Metadata, type RateLimit } from '../../metadata/index.ts';
import type { Document } from '../document/index.ts';
import { notOnAllowList } from '../errors.ts';
import { AllowList } from './allow-list.ts';
import { introspectionRefusal, mayIntrospect } from './introspection.ts';
import { batchCeiling, exceededLimit, limitsOf, type OperationLimits, type RoleLimits } from './limits.ts';

export interface RoleRulesOptions {
  readonly metadata: Pick<
    Metadata,
    'allowList' | 'apiLimits' | 'introspectionDisabledFor' | 'persistedManifests' | 'queryCollections'
  >;
  /** The default limits, which the metadata may override. */
  readonly limits: OperationLimits;
  readonly enforceAllowList: boolean;
}

/** The rules of a generation's metadata for documents of each role: allow list, introspection policy and limits. */
export class RoleRules {
  readonly #metadata: RoleRulesOptions['metadata'];
  readonly #limits: OperationLimits;
  /** Undefined if the allow list is not enforced. */
  readonly #allowList: AllowList | undefined;

  constructor({ metadata, limits, enforceAllowList }: RoleRulesOptions) {
    this.#metadata = metadata;
    this.#limits = limits;
    this.#allowList = enforceAllowList ? new AllowList(metadata) : undefined;
  }

  /** The maximum number of operations in a batch of any role. */
  get maxBatch(): number {
    return batchCeiling(this.#metadata.apiLimits, this.#limits);
  }

  limitsOf(role: string): RoleLimits {
    return limitsOf(role, this.#metadata.apiLimits, this.#limits);
  }

  rateLimitOf(role: string): RateLimit | undefined {
    return role === ADMIN_ROLE ? undefined : apiLimit(this.#metadata.apiLimits, 'rate_limit', role);
  }

  /** Whether a role may introspect the schema. */
  mayIntrospect(role: string): boolean {
    return mayIntrospect(role, this.#metadata);
  }

  /**
   * The reason why a role may not send a document, regardless of its schema. Undefined if it may.
   *
   * @param isSaved whether the metadata contains the document. Such documents are always on the allow list.
   */
  refusal(document: Document, role: string, isSaved: boolean): GraphQLError | undefined {
    if (!isSaved && this.#allowList && !this.#allowList.allows(document.node, role)) return notOnAllowList();
    return introspectionRefusal(document, role, this.#metadata) ?? exceededLimit(document.cost, this.limitsOf(role));
  }
}
