import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import type { CacheCounts, Durations } from '../../../platform/index.ts';
import type { Generation, RoleGraph } from '../../graph/index.ts';
import type { OperationUsage } from '../../usage/index.ts';
import type { Document } from '../document/index.ts';
import { DocumentFact } from '../document/index.ts';
import type { NamedOperation } from '../named-operations.ts';
import { type Plans, plansOf } from '../plan/index.ts';
import { invalidRequest, operationUnavailable, type PublicError } from '../response/index.ts';
import { type Access, accessOf } from './access.ts';
import { mayBecomeValid } from './awaited-sources.ts';
import { withoutSuggestion } from './introspection.ts';
import type { RoleLimits } from './limits.ts';
import type { RoleRules } from './role-rules.ts';
import { mayHoldSecrets } from './secret-fields.ts';
import { severalAuthenticationFields, validationErrors } from './validation.ts';
import { prepareVariables, type VariableProblems } from './variables.ts';

/** An operation of a document, for callers of one role. */
export interface ValidatedOperation {
  readonly operation: OperationDefinitionNode;
  readonly plans: Plans;
  /** Whether its answer may be compressed. */
  readonly mayCompress: boolean;
  /** Errors of the variables that a client sends with the operation. */
  readonly variableErrors: (variables: Readonly<Record<string, unknown>>) => readonly PublicError[];
  /** Counts its uses; undefined before its first run, and where usage is not counted. */
  usage: OperationUsage | undefined;
  /** Counts it by its name; undefined before its first run, null where names are not counted. */
  named: NamedOperation | null | undefined;
}

/** The validation of a document for callers of one role. It does not depend on variables. */
export interface ValidationResult {
  readonly limits: RoleLimits;
  /** Why it is not run; empty when it may be. */
  readonly errors: readonly PublicError[];
  /** Whether it may become valid when a source of unknown schema becomes available. */
  readonly isAwaited: boolean;
  /** The operation of that name, or the only one; undefined when there is none of that name, or several and no name. */
  operation(name: string | undefined): ValidatedOperation | undefined;
  /** Whether that operation has been planned before. */
  hasPlan(name: string | undefined): boolean;
}

export interface ValidationScope {
  readonly generation: Generation;
  readonly rules: RoleRules;
  readonly role: string;
  /** Whether the document is saved in the metadata: the allow list does not apply to it. */
  readonly isSaved: boolean;
  /** Measures validation and planning. */
  readonly counts: StageCounts;
}

/** Durations of validation and planning, and hits of the plan cache. */
export interface StageCounts {
  readonly validation: Durations;
  readonly planning: Durations;
  readonly plans: CacheCounts;
}

/**
 * Bounds the cached results: roles come from tokens. A document of callers with more roles is validated again for some.
 */
const MAX_VALIDATED_ROLES = 100;

/** By the role, and by whether the document is one of the metadata's. */
const VALIDATIONS = new DocumentFact(() => new Map<string, ValidationResult>());

/** Whether a document has been validated for callers of one role before. */
export function isValidated(document: Document, scope: ValidationScope): boolean {
  return VALIDATIONS.of(document).has(validationKey(scope));
}

function validationKey({ isSaved, role }: ValidationScope): string {
  return `${isSaved ? 'saved' : 'sent'} ${role}`;
}

/** Validates a document for callers of one role, once for each role. */
export function validateForRole(document: Document, scope: ValidationScope): ValidationResult {
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

class RoleValidation implements ValidationResult {
  readonly limits: RoleLimits;
  readonly errors: readonly PublicError[];
  readonly isAwaited: boolean;
  readonly #document: Document;
  readonly #graph: RoleGraph;
  readonly #mayIntrospect: boolean;
  readonly #authenticates: boolean;
  readonly #counts: StageCounts;
  readonly #operations = new Map<string | undefined, ValidatedOperation>();

  constructor(document: Document, { generation, rules, role, isSaved, counts }: ValidationScope) {
    this.#counts = counts;
    this.#document = document;
    this.#graph = generation.graphOf(role);
    this.#mayIntrospect = rules.mayIntrospect(role);
    this.limits = rules.limitsOf(role);
    const access = accessOf(document, generation);
    this.#authenticates = access.authenticates;
    const refusals = this.#refusals(access, rules.refusal(document, role, isSaved));
    const invalid = refusals.length > 0 ? [] : validationErrors(document, this.#graph);
    const { awaited } = generation;
    this.isAwaited =
      invalid.length > 0 && awaited !== undefined && mayBecomeValid(document, this.#graph, awaited, role);
    this.errors = this.isAwaited ? [operationUnavailable()] : [...refusals, ...this.#publicErrors(invalid)];
  }

  hasPlan(name: string | undefined): boolean {
    return this.#operations.has(name);
  }

  operation(name: string | undefined): ValidatedOperation | undefined {
    const known = this.#operations.get(name);
    if (known) {
      this.#counts.plans.hits++;
      return known;
    }
    const operation = this.#operationNamed(name);
    if (!operation) return undefined;
    this.#counts.plans.misses++;
    const startedAt = performance.now();
    const variableErrors = prepareVariables(this.#graph.schema, operation);
    const validatedOperation: ValidatedOperation = {
      operation,
      plans: plansOf(this.#document, operation, this.#graph),
      mayCompress: !this.#authenticates && !mayHoldSecrets(this.#document.node),
      variableErrors: (variables) => this.#publicErrors(variableErrors(variables)),
      usage: undefined,
      named: undefined,
    };
    const { arrival } = validatedOperation.plans.plan;
    const planned = () => this.#counts.planning.add(performance.now() - startedAt);
    if (arrival) void arrival.then(planned);
    else planned();
    this.#operations.set(name, validatedOperation);
    return validatedOperation;
  }

  #refusals(access: Access, refusal: GraphQLError | undefined): readonly PublicError[] {
    const tooMany = severalAuthenticationFields(access);
    if (tooMany.length > 0) return tooMany.map((error) => invalidRequest(error));
    return refusal ? [invalidRequest(refusal)] : [];
  }

  #publicErrors(errors: ReturnType<VariableProblems>): readonly PublicError[] {
    return errors.map((error) => invalidRequest(this.#mayIntrospect ? error : withoutSuggestion(error)));
  }

  #operationNamed(name: string | undefined): OperationDefinitionNode | undefined {
    const { operations } = this.#document;
    if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
    return operations.find((operation) => operation.name?.value === name);
  }
}
