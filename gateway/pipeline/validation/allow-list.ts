import { type DocumentNode, parse } from 'graphql';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import type { Metadata } from '../../metadata/index.ts';
import { normalised } from '../document/index.ts';

/** The operations that each role may send if the allow list is enforced. */
export class AllowList {
  /** Normalised texts for all roles. `#roles` has those for single roles. */
  readonly #global: ReadonlySet<string>;
  readonly #roles = new Map<string, Set<string>>();
  readonly #normalised = new WeakMap<DocumentNode, string>();
  /** Texts of manifests for all roles, which clients send unchanged. `#listedForRoles` has those for single roles. */
  readonly #listed = new Set<string>();
  readonly #listedForRoles = new Map<string, Set<string>>();

  constructor({
    allowList,
    persistedManifests,
    queryCollections,
  }: Pick<Metadata, 'allowList' | 'persistedManifests' | 'queryCollections'>) {
    const global = new Set<string>();
    for (const { collection: name, scope } of allowList) {
      const collection = queryCollections.find((candidate) => candidate.name === name);
      for (const { query } of collection?.definition.queries ?? []) {
        const text = normalised(parse(query));
        if (scope.global) global.add(text);
        for (const role of scope.roles ?? []) this.#roles.set(role, (this.#roles.get(role) ?? new Set()).add(text));
      }
    }
    this.#global = global;
    for (const { roles, documents } of persistedManifests)
      for (const { text } of documents) {
        if (!roles) this.#listed.add(text);
        for (const role of roles ?? [])
          this.#listedForRoles.set(role, (this.#listedForRoles.get(role) ?? new Set()).add(text));
      }
  }

  /** Whether `role` may send this document. The role `admin` may send everything. */
  allows(document: DocumentNode, role: string): boolean {
    if (role === ADMIN_ROLE) return true;
    const written = document.loc?.source.body ?? '';
    if (this.#listed.has(written) || this.#listedForRoles.get(role)?.has(written)) return true;
    let text = this.#normalised.get(document);
    if (text === undefined) {
      text = normalised(document);
      this.#normalised.set(document, text);
    }
    return this.#global.has(text) || (this.#roles.get(role)?.has(text) ?? false);
  }
}
