import type { GraphQLError, OperationDefinitionNode } from 'graphql';
import type { Generation, RoleGraph } from '../graph/index.ts';
import { type Access, accessOf } from './access.ts';
import { mayBecomeValid, operationUnavailable } from './awaited.ts';
import type { Document } from './documents.ts';
import { invalidRequest, type PublicError } from './errors.ts';
import { withoutSuggestion } from './introspection.ts';
import type { RoleLimits } from './limits.ts';
import { type Plans, plansOf } from './plan.ts';
import type { RoleRules } from './role-rules.ts';
import { mayHoldSecrets } from './secret-fields.ts';
import { severalAuthenticationFields, validated } from './validation.ts';
import { prepareVariables, type VariableProblems } from './variables.ts';

/** An operation of a document, for callers of one role. */
export interface JudgedOperation {
  readonly operation: OperationDefinitionNode;
  readonly plans: Plans;
  /** Whether its answer may be compressed. */
  readonly mayCompress: boolean;
  /** What is wrong with the variables that a client sends with it. */
  readonly variableErrors: (variables: Readonly<Record<string, unknown>>) => readonly PublicError[];
}

/** All that is to be said of a document that callers of one role send, whatever their variables are. */
export interface Judgement {
  readonly limits: RoleLimits;
  /** Why it is not run; empty when it may be. */
  readonly errors: readonly PublicError[];
  /** Whether it may become valid when a source is available of which nothing is known yet. */
  readonly isAwaited: boolean;
  /** The operation that is meant; undefined when there is none of that name, or several and no name. */
  operation(name: string | undefined): JudgedOperation | undefined;
}

export interface Circumstance {
  readonly generation: Generation;
  readonly rules: RoleRules;
  readonly role: string;
  /** Whether the document is one of the metadata's own, which the allow list has nothing to say about. */
  readonly isSaved: boolean;
}

/** Roles come from tokens; a document that callers of more roles send is judged anew for some of them. */
const MAX_JUDGEMENTS = 100;

/** Judges a document, once for each role. */
export function judge(document: Document, circumstance: Circumstance): Judgement {
  const key = `${circumstance.isSaved ? 'saved' : 'sent'} ${circumstance.role}`;
  const known = document.judgements.get(key);
  if (known) return known;
  if (document.judgements.size >= MAX_JUDGEMENTS) document.judgements.clear();
  const judgement = new RoleJudgement(document, circumstance);
  document.judgements.set(key, judgement);
  return judgement;
}

class RoleJudgement implements Judgement {
  readonly limits: RoleLimits;
  readonly errors: readonly PublicError[];
  readonly isAwaited: boolean;
  readonly #document: Document;
  readonly #graph: RoleGraph;
  readonly #mayIntrospect: boolean;
  readonly #authenticates: boolean;
  readonly #operations = new Map<string | undefined, JudgedOperation>();

  constructor(document: Document, { generation, rules, role, isSaved }: Circumstance) {
    this.#document = document;
    this.#graph = generation.graphOf(role);
    this.#mayIntrospect = rules.mayIntrospect(role);
    this.limits = rules.limitsOf(role);
    const access = accessOf(document, generation);
    this.#authenticates = access.authenticates;
    const refusals = this.#refusals(access, rules.refusal(document, role, isSaved));
    const invalid = refusals.length > 0 ? [] : validated(document, this.#graph).errors;
    const { awaited } = generation;
    this.isAwaited =
      invalid.length > 0 && awaited !== undefined && mayBecomeValid(document, this.#graph, awaited, role);
    this.errors = this.isAwaited ? [operationUnavailable()] : [...refusals, ...this.#told(invalid)];
  }

  operation(name: string | undefined): JudgedOperation | undefined {
    const known = this.#operations.get(name);
    if (known) return known;
    const operation = this.#meant(name);
    if (!operation) return undefined;
    const variableErrors = prepareVariables(this.#graph.schema, operation);
    const judged: JudgedOperation = {
      operation,
      plans: plansOf(this.#document, operation, this.#graph),
      mayCompress: !this.#authenticates && !mayHoldSecrets(this.#document.node),
      variableErrors: (variables) => this.#told(variableErrors(variables)),
    };
    this.#operations.set(name, judged);
    return judged;
  }

  #refusals(access: Access, refusal: GraphQLError | undefined): readonly PublicError[] {
    const guesses = severalAuthenticationFields(access);
    if (guesses.length > 0) return guesses.map((error) => invalidRequest(error));
    return refusal ? [invalidRequest(refusal)] : [];
  }

  #told(errors: ReturnType<VariableProblems>): readonly PublicError[] {
    return errors.map((error) => invalidRequest(this.#mayIntrospect ? error : withoutSuggestion(error)));
  }

  #meant(name: string | undefined): OperationDefinitionNode | undefined {
    const { operations } = this.#document;
    if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
    return operations.find((operation) => operation.name?.value === name);
  }
}
