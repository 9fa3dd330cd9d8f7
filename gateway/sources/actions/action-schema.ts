import { pruneSchema } from '@graphql-tools/utils';
import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  execute,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  GraphQLSchema,
  getNamedType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationTypeNode,
  parse,
  print,
  type TypeNode,
  typeFromAST,
} from 'graphql';
import { fragmentsOf, innermostTypeName, rootFieldNames } from '../../graphql/syntax/index.ts';
import { type ActionTypes, checkScalars, type ScalarCheck } from '../../metadata/index.ts';
import type { CompiledSubscription } from '../compiled-operation.ts';
import { withoutHints } from '../operation-context.ts';
import type { Subschema } from '../source.ts';
import { ANYTHING } from './action-answer.ts';
import { type ActionContext, type AnswerAction, compileActions } from './action-operation.ts';
import { compileActionSubscription } from './action-subscription.ts';
import { askedJobId } from './async-actions.ts';
import { resultEvents, type WatchResult } from './result-events.ts';
import type { CallForObjects } from './type-field-calls.ts';
import { type CallableTypeField, compileTypeFields, type TypeFieldContext } from './type-field-operation.ts';
import { separateTypeFields } from './type-fields.ts';
import {
  type ActionOutcome,
  type ActionOutput,
  type CollectFieldArguments,
  excessProblem,
  fieldArgumentCollectors,
  objectsWithin,
  resolveAbstractTypes,
  type StreamedAction,
} from './webhook/index.ts';

/** What calls the handlers of actions. */
export interface ActionHandlers {
  /** Creates the resolver of an action's root field. */
  answerOf(name: string, operation: `${OperationTypeNode}`, output: ActionOutput): AnswerAction;
  /** Returns an action of the kind `subscription`. Undefined for other actions. */
  streamedOf?(name: string, output: ActionOutput): StreamedAction | undefined;
  /** Creates the calls of an action that is a field of a type. Without it, such actions are root fields. */
  callsOf?(name: string, outputOfObject: ActionOutput): CallForObjects;
  readonly watch?: WatchResult;
}

/** The name of the source of all actions. */
export const ACTIONS_SOURCE = 'actions';

const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/**
 * Builds the schemas of the named actions with the types that they use.
 *
 * The schema that clients see is not the schema that is executed. As in Hasura, the gateway only checks the nullability
 * of the outermost fields of a webhook response. Deeper nulls pass even if the type is non-null, and scalars pass
 * unchanged. GraphQL would discard such a response.
 */
export function actionSubschema(
  {
    document: types,
    asyncOutputs,
    checks = new Map(),
    typeFields,
  }: Pick<ActionTypes, 'document' | 'asyncOutputs'> & Partial<Pick<ActionTypes, 'checks' | 'typeFields'>>,
  names: ReadonlySet<string>,
  { answerOf, streamedOf, callsOf, watch = () => () => {} }: ActionHandlers,
): Subschema {
  const definitions = types.definitions.flatMap((definition) => withOnlyFields(definition, names));
  const build = (parts: readonly DefinitionNode[]) => withCheckedValues(buildAssumed(parts), checks);
  const separate = callsOf && typeFields && separateTypeFields(definitions, typeFields, build);
  const schema = withCheckedValues(assumedValid(separate?.schema ?? pruneSchema(build(definitions))), checks);
  const checked = checkedTypes(definitions, checks);
  const executed = withNullsForMisfits(build(withoutChecks(separate?.executed ?? definitions, checked)), checked);
  const outputOf = (outputType: GraphQLOutputType) => ({
    outputType,
    excessProblem: excessProblem(outputType, checked),
  });
  const collectorOf = fieldArgumentCollectors(executed);
  const answers = new Map<GraphQLField<unknown, unknown>, AnswerAction>();
  const callable = new Map<string, CallableTypeField>();
  const streamedNames = new Set<string>();
  for (const operation of ['query', 'mutation', 'subscription'] as const) {
    const shown = actionRootType(schema, operation)?.getFields() ?? {};
    for (const [name, field] of Object.entries(actionRootType(executed, operation)?.getFields() ?? {})) {
      const written = operation === 'query' ? separate?.written.get(name) : undefined;
      if (written && callsOf) {
        callable.set(name, { written, call: callsOf(name, outputOf(written.type)) });
        field.resolve = (_source, _args, { values }: TypeFieldContext, { path }) => values.get(String(path.key));
        continue;
      }
      const late = asyncOutputs.get(name);
      const output = outputOf(
        (late && (typeFromAST(schema, late) as GraphQLOutputType | undefined)) ?? shown[name]?.type ?? field.type,
      );
      const streamed = operation === 'subscription' ? streamedOf?.(name, output) : undefined;
      if (streamed) {
        streamedNames.add(name);
        field.resolve = streamedResolver(streamed, collectorOf(field.type));
        continue;
      }
      const answer = answerOf(name, operation, output);
      answers.set(field, answer);
      field.resolve = resolver(answer, late ? undefined : collectorOf(field.type));
    }
  }
  const openEvents = (document: DocumentNode): CompiledSubscription['open'] => {
    return (variables, context) =>
      resultEvents((onId) => {
        const contextValue: ActionContext = { context: withoutHints(context), onId };
        return execute({ schema: executed, document, variableValues: variables, contextValue });
      }, watch);
  };
  // Locations are dropped because errors of sources only have a path, however the operation is executed.
  const withoutLocations = (document: DocumentNode) => parse(print(document), { noLocation: true });
  return {
    source: ACTIONS_SOURCE,
    schema,
    ...(separate && { typeFields: separate.fields }),
    compile: (operation) => {
      const fields = separate && compileTypeFields(operation, executed, callable);
      if (fields) return fields;
      return compileActions(withoutLocations(operation.document), executed, answers);
    },
    compileSubscription: ({ document: written, operation }) => {
      const document = withoutLocations(written);
      return [...rootFieldNames(operation.selectionSet, fragmentsOf(document))].some((name) => streamedNames.has(name))
        ? compileActionSubscription(document, executed)
        : { open: openEvents(document) };
    },
    uncheckedTypes: objectNames(definitions),
  };
}

function resolver(
  answer: AnswerAction,
  argumentsOf: CollectFieldArguments | undefined,
): GraphQLFieldResolver<unknown, ActionContext> {
  return (_, input, { context, outcomes, onId }, info) => {
    const id = onId && askedJobId(input);
    if (id !== undefined) onId?.(id);
    const known = outcomes?.get(String(info.path.key));
    if (known) return taken(known);
    const fieldArguments = argumentsOf?.(info);
    return new Promise((resolve, reject) =>
      answer(
        input,
        context,
        (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value)),
        fieldArguments,
      ),
    );
  };
}

/** Resolves the field of a subscription for one event, or passes the field on before the handler is called. */
function streamedResolver(
  action: StreamedAction,
  argumentsOf: CollectFieldArguments | undefined,
): GraphQLFieldResolver<unknown, ActionContext> {
  return (_, input, { outcomes, onField }, info) => {
    const key = String(info.path.key);
    const outcome = outcomes?.get(key);
    if (outcome) return taken(outcome);
    onField?.({ action, key, input, fieldArguments: argumentsOf?.(info) });
    return null;
  };
}

function taken(outcome: ActionOutcome): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** A schema with only mutations is invalid in GraphQL. The role graph that includes this schema always has queries. */
function assumedValid(schema: GraphQLSchema): GraphQLSchema {
  return new GraphQLSchema({ ...schema.toConfig(), assumeValid: true });
}

/** Values of interfaces, unions and checked scalars are checked against their types. */
function withCheckedValues(schema: GraphQLSchema, checks: ReadonlyMap<string, ScalarCheck>): GraphQLSchema {
  checkScalars(schema, checks);
  return resolveAbstractTypes(schema);
}

function buildAssumed(definitions: readonly DefinitionNode[]): GraphQLSchema {
  // The types were checked when the metadata was loaded.
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValid: true, assumeValidSDL: true });
}

function actionRootType(schema: GraphQLSchema, operation: `${OperationTypeNode}`) {
  if (operation === 'query') return schema.getQueryType();
  return operation === 'mutation' ? schema.getMutationType() : schema.getSubscriptionType();
}

function isRootDefinition(definition: DefinitionNode): boolean {
  return definition.kind === Kind.OBJECT_TYPE_DEFINITION && ROOT_TYPES.has(definition.name.value);
}

function withOnlyFields(definition: DefinitionNode, names: ReadonlySet<string>): readonly DefinitionNode[] {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !isRootDefinition(definition)) return [definition];
  const fields = (definition.fields ?? []).filter((field) => names.has(field.name.value));
  return fields.length > 0 ? [{ ...definition, fields }] : [];
}

function objectNames(definitions: readonly DefinitionNode[]): ReadonlySet<string> {
  return new Set(
    definitions.flatMap((one) =>
      one.kind === Kind.OBJECT_TYPE_DEFINITION && !isRootDefinition(one) ? [one.name.value] : [],
    ),
  );
}

/**
 * Replaces misfit values below an action's own object with null. Nothing has checked these values yet. Values of
 * interfaces, unions and checked scalars are checked when they are completed.
 */
function withNullsForMisfits(schema: GraphQLSchema, checked: ReadonlySet<string>): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type) || ROOT_TYPES.has(type.name)) continue;
    for (const [name, field] of Object.entries(type.getFields()))
      if (isObjectType(getNamedType(field.type)))
        field.resolve = (source: Readonly<Record<string, unknown>>) => objectsWithin(source[name], field.type);
      else if (checked.has(getNamedType(field.type).name))
        field.resolve = (source: Readonly<Record<string, unknown>>) =>
          Object.hasOwn(source, name) ? source[name] : null;
  }
  return schema;
}

/** The types whose values are checked as GraphQL demands: interfaces, unions, checked scalars, and objects with them. */
function checkedTypes(
  definitions: readonly DefinitionNode[],
  checks: ReadonlyMap<string, ScalarCheck>,
): ReadonlySet<string> {
  const checked = new Set(checks.keys());
  for (const one of definitions)
    if (one.kind === Kind.INTERFACE_TYPE_DEFINITION || one.kind === Kind.UNION_TYPE_DEFINITION)
      checked.add(one.name.value);
  if (checked.size === 0) return checked;
  for (let before = 0; before !== checked.size; ) {
    before = checked.size;
    for (const one of definitions)
      if (one.kind === Kind.OBJECT_TYPE_DEFINITION && !isRootDefinition(one))
        if (one.fields?.some((field) => checked.has(innermostTypeName(field.type)))) checked.add(one.name.value);
  }
  return checked;
}

function withoutChecks(
  definitions: readonly DefinitionNode[],
  checked: ReadonlySet<string>,
): readonly DefinitionNode[] {
  const objects = objectNames(definitions);
  const unchecked = definitions.map((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || isRootDefinition(definition)) return definition;
    const fields = (definition.fields ?? []).map(
      (field): FieldDefinitionNode => ({
        ...field,
        type: checked.has(innermostTypeName(field.type)) ? field.type : uncheckedType(field.type, objects),
      }),
    );
    return { ...definition, fields };
  });
  return [...unchecked, { kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: ANYTHING } }];
}

function uncheckedType(type: TypeNode, objects: ReadonlySet<string>): TypeNode {
  const nullable = (one: TypeNode): TypeNode => {
    if (one.kind === Kind.NON_NULL_TYPE) return nullable(one.type);
    return one.kind === Kind.LIST_TYPE ? { ...one, type: nullable(one.type) } : one;
  };
  if (objects.has(innermostTypeName(type))) return nullable(type);
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: ANYTHING } };
}
