import {
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { ADMIN_ROLE, type Session } from '../../access/session/index.ts';
import { type FieldConditions, holds, type SessionCondition } from '../../access/variables/index.ts';
import type { RoleGraph } from '../../graph/index.ts';
import {
  conditionValue,
  type Fragments,
  fragmentsOf,
  isCondition,
  type Variables,
} from '../../graphql/syntax/index.ts';
import type { Document } from '../document/index.ts';
import { endpointConditionFailed, fieldConditionFailed } from '../errors.ts';
import { MAX_ERRORS } from './variables.ts';

/**
 * The errors of the selected fields whose conditions do not hold for a session. Empty if all hold. `@skip` and
 * `@include` are applied, with valid variables.
 */
export type ConditionProblems = (session: Session, variables: Variables) => readonly GraphQLError[];

/**
 * Compiles the session conditions of the fields that an operation of a valid document selects. The compiled conditions
 * contain no decision, so all sessions of the role share them.
 *
 * @returns undefined if no selected field has a condition. Such an operation is not checked at all.
 */
export function prepareConditions(
  document: Document,
  operation: OperationDefinitionNode,
  { accepted, sessionConditions }: RoleGraph,
): ConditionProblems | undefined {
  if (!sessionConditions) return undefined;
  const compiler = new ConditionCompiler(sessionConditions, fragmentsOf(document.node), (name) =>
    accepted.getType(name),
  );
  const selected = compiler.fieldsOf(operation.selectionSet, accepted.getRootType(operation.operation) ?? undefined);
  const conditions = [...compiler.conditions];
  if (conditions.length === 0) return undefined;
  return ({ variables: ofSession }, variables) => {
    const failed = new Set(conditions.filter((condition) => !holds(condition, ofSession)));
    return failed.size === 0 ? NONE : new FailedFields(failed, operation, variables).errorsIn(selected);
  };
}

/** @throws GatewayError 403 if the session does not meet the condition of a REST endpoint. */
export function checkEndpointCondition(condition: SessionCondition, { role, variables }: Session): void {
  if (role !== ADMIN_ROLE && !holds(condition, variables)) throw endpointConditionFailed();
}

const NONE: readonly GraphQLError[] = [];

/** A selection with conditions, or with selections below it that have conditions. */
interface ConditionalSelection {
  readonly node: SelectionNode;
  /** The conditions of a field itself. */
  readonly conditions: readonly SessionCondition[];
  /** What is selected below a field or within a fragment. All spreads of a fragment share one list. */
  readonly inner: readonly ConditionalSelection[];
}

const NO_SELECTIONS: readonly ConditionalSelection[] = [];

/** Keeps the selections of an operation that lead to conditions. Each fragment is compiled once. */
class ConditionCompiler {
  readonly conditions = new Set<SessionCondition>();
  readonly #byField: FieldConditions;
  readonly #fragments: Fragments;
  readonly #typeOf: (name: string) => GraphQLNamedType | undefined;
  readonly #compiled = new Map<string, readonly ConditionalSelection[]>();

  constructor(byField: FieldConditions, fragments: Fragments, typeOf: (name: string) => GraphQLNamedType | undefined) {
    this.#byField = byField;
    this.#fragments = fragments;
    this.#typeOf = typeOf;
  }

  fieldsOf({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): readonly ConditionalSelection[] {
    const kept = selections.flatMap((node) => this.#selection(node, parent));
    return kept.length > 0 ? kept : NO_SELECTIONS;
  }

  #selection(node: SelectionNode, parent: GraphQLNamedType | undefined): readonly ConditionalSelection[] {
    const conditions = node.kind === Kind.FIELD ? this.#conditionsOf(node, parent) : [];
    const inner = this.#innerOf(node, parent);
    return conditions.length > 0 || inner.length > 0 ? [{ node, conditions, inner }] : [];
  }

  #conditionsOf({ name }: FieldNode, parent: GraphQLNamedType | undefined): readonly SessionCondition[] {
    const conditions = (parent && this.#byField.get(`${parent.name}.${name.value}`)) ?? [];
    for (const condition of conditions) this.conditions.add(condition);
    return conditions;
  }

  #innerOf(node: SelectionNode, parent: GraphQLNamedType | undefined): readonly ConditionalSelection[] {
    if (node.kind === Kind.FRAGMENT_SPREAD) return this.#fragment(node.name.value);
    if (!node.selectionSet) return NO_SELECTIONS;
    if (node.kind === Kind.FIELD) return this.fieldsOf(node.selectionSet, typeOfField(node, parent));
    const { typeCondition, selectionSet } = node;
    return this.fieldsOf(selectionSet, typeCondition ? this.#typeOf(typeCondition.name.value) : parent);
  }

  #fragment(name: string): readonly ConditionalSelection[] {
    const known = this.#compiled.get(name);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    const compiled = fragment
      ? this.fieldsOf(fragment.selectionSet, this.#typeOf(fragment.typeCondition.name.value))
      : NO_SELECTIONS;
    this.#compiled.set(name, compiled);
    return compiled;
  }
}

function typeOfField({ name }: FieldNode, parent: GraphQLNamedType | undefined): GraphQLNamedType | undefined {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  const field = parent.getFields()[name.value];
  return field && getNamedType(field.type);
}

/** The most characters of a path. Aliases of a client may be long, and each error would repeat them. */
const MAX_PATH_TEXT = 1_000;

function isShort(path: readonly string[]): boolean {
  return path.reduce((length, key) => length + key.length, 0) <= MAX_PATH_TEXT;
}

/** Finds the selected fields whose conditions have failed. Used only if a condition of the operation has failed. */
class FailedFields {
  readonly #failed: ReadonlySet<SessionCondition>;
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Variables;
  readonly #errors: GraphQLError[] = [];
  /** Lists that were searched. A fragment need not be searched again at another path. */
  readonly #searched = new Set<readonly ConditionalSelection[]>();

  constructor(failed: ReadonlySet<SessionCondition>, operation: OperationDefinitionNode, variables: Variables) {
    this.#failed = failed;
    this.#operation = operation;
    this.#variables = variables;
  }

  errorsIn(selections: readonly ConditionalSelection[]): readonly GraphQLError[] {
    this.#search(selections, []);
    return this.#errors;
  }

  #search(selections: readonly ConditionalSelection[], path: readonly string[]): void {
    if (this.#searched.has(selections)) return;
    this.#searched.add(selections);
    for (const { node, conditions, inner } of selections) {
      if (this.#errors.length >= MAX_ERRORS) return;
      if (!this.#isSelected(node)) continue;
      const at = node.kind === Kind.FIELD ? [...path, (node.alias ?? node.name).value] : path;
      if (node.kind === Kind.FIELD && conditions.some((condition) => this.#failed.has(condition)))
        this.#errors.push(fieldConditionFailed(node, isShort(at) ? at : undefined));
      else this.#search(inner, at);
    }
  }

  /** Whether `@skip` and `@include` keep a selection. With a null in place of a boolean, it counts as selected. */
  #isSelected({ directives = [] }: SelectionNode): boolean {
    return directives.every(
      (directive) =>
        !isCondition(directive) ||
        conditionValue(directive, this.#operation, this.#variables) !== (directive.name.value === 'skip'),
    );
  }
}
