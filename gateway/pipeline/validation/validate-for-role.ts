import type { GraphQLError } from 'graphql';
import type { Durations } from '../../../platform/index.ts';
import type { Generation, RoleGraph } from '../../graph/index.ts';
import type { Document } from '../document/index.ts';
import { DocumentFact } from '../document/index.ts';
import { invalidRequest, operationUnavailable, type PublicError } from '../response/index.ts';
import { type Access, accessOf } from './access.ts';
import { mayBecomeValid } from './awaited-sources.ts';
import { withoutSuggestion } from './introspection.ts';
import type { RoleLimits } from './limits.ts';
import type { RoleRules } from './role-rules.ts';
import { mayHoldSecrets } from './secret-fields.ts';
import { severalAuthenticationFields, validationErrors } from './validation.ts';

/** A document that is validated for one role. The validation does not depend on variables. */
export interface ValidatedDocument {
  readonly document: Document;
  /** The role's graph. */
  readonly graph: RoleGraph;
  readonly limits: RoleLimits;
  /** The reasons why the document may not be executed. Empty if it may. */
  readonly errors: readonly PublicError[];
  /** Whether the document may become valid when a source with an unknown schema becomes available. */
  readonly isAwaited: boolean;
  /** Whether responses to its operations may be compressed. */
  readonly mayCompress: boolean;
  /** Converts errors of the document's operations, without details of the schema that the role may not know. */
  publicErrors(errors: readonly GraphQLError[]): readonly PublicError[];
}

export interface ValidationScope {
  readonly generation: Generation;
  readonly rules: RoleRules;
  readonly role: string;
  /** Whether the document is saved in the metadata. If so, the allow list does not apply. */
  readonly isSaved: boolean;
  /** Measures validation. */
  readonly counts: { readonly validation: Durations };
}

/**
 * The maximum number of cached results for a document. Roles come from tokens. If more roles send a document, it is
 * validated again for some of them.
 */
const MAX_VALIDATED_ROLES = 100;

/** The results by role and by whether the document is saved. */
const VALIDATIONS = new DocumentFact(() => new Map<string, ValidatedDocument>());

/** Whether a document has already been validated for the role. */
export function isValidated(document: Document, scope: ValidationScope): boolean {
  return VALIDATIONS.of(document).has(validationKey(scope));
}

function validationKey({ isSaved, role }: ValidationScope): string {
  return `${isSaved ? 'saved' : 'sent'} ${role}`;
}

/** Validates a document once for each role. */
export function validateForRole(document: Document, scope: ValidationScope): ValidatedDocument {
  const key = validationKey(scope);
  const validations = VALIDATIONS.of(document);
  const known = validations.get(key);
  if (known) return known;
  if (validations.size >= MAX_VALIDATED_ROLES) validations.clear();
  const startedAt = performance.now();
  const result = new RoleValidation(document, scope);
  scope.counts.validation.add(performance.now() - startedAt);
  validations.set(key, result);
  return result;
}

class RoleValidation implements ValidatedDocument {
  readonly document: Document;
  readonly graph: RoleGraph;
  readonly limits: RoleLimits;
  readonly errors: readonly PublicError[];
  readonly isAwaited: boolean;
  readonly mayCompress: boolean;
  readonly #mayIntrospect: boolean;

  constructor(document: Document, { generation, rules, role, isSaved }: ValidationScope) {
    this.document = document;
    this.graph = generation.graphOf(role);
    this.#mayIntrospect = rules.mayIntrospect(role);
    this.limits = rules.limitsOf(role);
    const access = accessOf(document, generation);
    const refusals = this.#refusals(access, rules.refusal(document, role, isSaved));
    const invalid = refusals.length > 0 ? [] : validationErrors(document, this.graph);
    const { awaited } = generation;
    this.isAwaited = invalid.length > 0 && awaited !== undefined && mayBecomeValid(document, this.graph, awaited, role);
    this.errors = this.isAwaited ? [operationUnavailable()] : [...refusals, ...this.publicErrors(invalid)];
    this.mayCompress = this.errors.length === 0 && !access.authenticates && !mayHoldSecrets(document.node);
  }

  publicErrors(errors: readonly GraphQLError[]): readonly PublicError[] {
    return errors.map((error) => invalidRequest(this.#mayIntrospect ? error : withoutSuggestion(error)));
  }

  #refusals(access: Access, refusal: GraphQLError | undefined): readonly PublicError[] {
    const tooMany = severalAuthenticationFields(access);
    if (tooMany.length > 0) return tooMany.map((error) => invalidRequest(error));
    return refusal ? [invalidRequest(refusal)] : [];
  }
}
