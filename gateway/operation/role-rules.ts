import { GraphQLError } from 'graphql';
import { apiLimit, type Metadata, type RateLimit } from '../metadata/index.ts';
import { ADMIN_ROLE } from '../sources/index.ts';
import { AllowList } from './allow-list.ts';
import type { Document } from './documents.ts';
import { introspectionRefusal } from './introspection.ts';
import { batchCeiling, exceededLimit, limitsOf, type OperationLimits, type RoleLimits } from './limits.ts';

export interface RoleRulesOptions {
  readonly metadata: Pick<
    Metadata,
    'allowList' | 'apiLimits' | 'introspectionDisabledFor' | 'persistedManifests' | 'queryCollections'
  >;
  /** What holds where the metadata says nothing else. */
  readonly limits: OperationLimits;
  readonly enforceAllowList: boolean;
}

/** What the metadata of one generation lets each role send, beside what the role's schema holds. */
export class RoleRules {
  readonly #metadata: RoleRulesOptions['metadata'];
  readonly #limits: OperationLimits;
  /** Undefined when it is not enforced. */
  readonly #allowList: AllowList | undefined;

  constructor({ metadata, limits, enforceAllowList }: RoleRulesOptions) {
    this.#metadata = metadata;
    this.#limits = limits;
    this.#allowList = enforceAllowList ? new AllowList(metadata) : undefined;
  }

  /** The most operations that a batch of any role may hold. */
  get maxBatch(): number {
    return batchCeiling(this.#metadata.apiLimits, this.#limits);
  }

  limitsOf(role: string): RoleLimits {
    return limitsOf(role, this.#metadata.apiLimits, this.#limits);
  }

  rateLimitOf(role: string): RateLimit | undefined {
    return role === ADMIN_ROLE ? undefined : apiLimit(this.#metadata.apiLimits, 'rate_limit', role);
  }

  /** Whether a role may be told what is in the schema. */
  mayIntrospect(role: string): boolean {
    return !this.#metadata.introspectionDisabledFor.has(role);
  }

  /**
   * Why a role may not send a document, whatever its schema holds; undefined when it may.
   *
   * @param isSaved whether the document is one of the metadata's own: those are allowed.
   */
  refusal(document: Document, role: string, isSaved: boolean): GraphQLError | undefined {
    if (!isSaved && this.#allowList && !this.#allowList.allows(document.node, role))
      return new GraphQLError('query is not allowed');
    const refused = this.mayIntrospect(role) ? undefined : introspectionRefusal(document, role);
    return refused ?? exceededLimit(document.cost, this.limitsOf(role));
  }
}
