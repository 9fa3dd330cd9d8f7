import type { Generation } from '../graph/index.ts';
import type { Metadata } from '../metadata/index.ts';
import { DocumentCache, PersistedDocuments } from './document/index.ts';
import type { NamedOperations } from './named-operations.ts';
import type { GenerationCache } from './requests.ts';
import { type OperationLimits, RoleRules } from './validation/index.ts';

export interface GenerationCachesOptions {
  readonly limits: OperationLimits;
  readonly enforceAllowList: boolean;
  /** Counts operations by the names in each generation's metadata. */
  readonly named: NamedOperations;
  /** Counts hits and misses of the document cache. */
  readonly counts: { hits: number; misses: number };
}

/** Creates a cache for each generation, since documents are parsed, validated and planned again for each generation. */
export class GenerationCaches {
  readonly #options: GenerationCachesOptions;
  #current: GenerationCache;

  constructor(generation: Generation, options: GenerationCachesOptions) {
    this.#options = options;
    this.#current = this.#create(generation);
  }

  of(generation: Generation): GenerationCache {
    if (this.#current.generation !== generation) this.#current = this.#create(generation);
    return this.#current;
  }

  #create(generation: Generation): GenerationCache {
    const { limits, enforceAllowList, named, counts } = this.#options;
    const { metadata } = generation;
    named.follow(metadata);
    return {
      generation,
      documents: new DocumentCache(limits.maxTokens, counts, savedTexts(metadata)),
      persisted: new PersistedDocuments(metadata.persistedManifests),
      rules: new RoleRules({ metadata, limits, enforceAllowList }),
    };
  }
}

/**
 * The documents that the operator has saved in manifests and query collections. REST endpoints use documents of
 * collections.
 */
function savedTexts({ persistedManifests, queryCollections }: Metadata): ReadonlySet<string> {
  return new Set([
    ...persistedManifests.flatMap(({ documents }) => documents.map(({ text }) => text)),
    ...queryCollections.flatMap(({ definition }) => definition.queries.map(({ query }) => query)),
  ]);
}
