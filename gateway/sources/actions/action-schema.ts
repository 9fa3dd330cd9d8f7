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
import type { ActionTypes } from '../../metadata/index.ts';
import type { CompiledSubscription } from '../compiled-operation.ts';
import { withoutHints } from '../operation-context.ts';
import type { Subschema } from '../source.ts';
import { type ActionContext, type AnswerAction, compileActions } from './action-operation.ts';
import { objectsWithin } from './action-response.ts';
import type { ActionOutcome } from './action-webhook.ts';
import { askedJobId } from './async-actions.ts';
import { resultEvents, type WatchResult } from './result-events.ts';
import type { CallForObjects } from './type-field-calls.ts';
import { type CallableTypeField, compileTypeFields, type TypeFieldContext } from './type-field-operation.ts';
import { separateTypeFields } from './type-fields.ts';

/** Creates the resolver of one action's root field. `outputType` is the type of the webhook response. */
export type ActionAnswers = (
  name: string,
  operation: `${OperationTypeNode}`,
  outputType: GraphQLOutputType,
) => AnswerAction;

/** The actions that are fields of types. */
export interface TypeFieldActions {
  readonly described: ActionTypes['typeFields'];
  /** Creates the calls of an action. @param outputType the type of the value of one object */
  callsOf(name: string, outputType: GraphQLOutputType): CallForObjects;
}

/** The name of the source of all actions. */
export const ACTIONS_SOURCE = 'actions';

/** A scalar that accepts any value; clients never see it. */
const ANYTHING = 'portico_Anything';

const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/**
 * Builds the schemas of the named actions with the types that they use.
 *
 * The schema that clients see is not the schema that is executed. As in Hasura, the gateway only checks the nullability
 * of the outermost fields of a webhook response. Deeper nulls pass even if the type is non-null, and scalars pass
 * unchanged. GraphQL would discard such a response.
 */
export function actionSubschema(
  { document: types, asyncOutputs }: Pick<ActionTypes, 'document' | 'asyncOutputs'>,
  names: ReadonlySet<string>,
  answerOf: ActionAnswers,
  watch: WatchResult = () => () => {},
  typeFields?: TypeFieldActions,
): Subschema {
  const definitions = types.definitions.flatMap((definition) => withOnlyFields(definition, names));
  const separate = typeFields && separateTypeFields(definitions, typeFields.described, built);
  const schema = assumedValid(separate?.schema ?? pruneSchema(built(definitions)));
  const executed = withNullsForMisfits(built(withoutChecks(separate?.executed ?? definitions)));
  const answers = new Map<GraphQLField<unknown, unknown>, AnswerAction>();
  const callable = new Map<string, CallableTypeField>();
  for (const operation of ['query', 'mutation', 'subscription'] as const) {
    const shown = actionRootType(schema, operation)?.getFields() ?? {};
    for (const [name, field] of Object.entries(actionRootType(executed, operation)?.getFields() ?? {})) {
      const written = operation === 'query' ? separate?.written.get(name) : undefined;
      if (written && typeFields) {
        callable.set(name, { written, call: typeFields.callsOf(name, written.type) });
        field.resolve = (_source, _args, { values }: TypeFieldContext, { path }) => values.get(String(path.key));
        continue;
      }
      const output = asyncOutputs.get(name);
      const type =
        (output && (typeFromAST(schema, output) as GraphQLOutputType | undefined)) ?? shown[name]?.type ?? field.type;
      const answer = answerOf(name, operation, type);
      answers.set(field, answer);
      field.resolve = resolver(answer);
    }
  }
  const openEvents = (document: DocumentNode): CompiledSubscription['open'] => {
    return (variables, context) =>
      resultEvents((onId) => {
        const contextValue: ActionContext = { context: withoutHints(context), onId };
        return execute({ schema: executed, document, variableValues: variables, contextValue });
      }, watch);
  };
  return {
    source: ACTIONS_SOURCE,
    schema,
    ...(separate && { typeFields: separate.fields }),
    compile: (operation) => {
      const fields = separate && compileTypeFields(operation, executed, callable);
      if (fields) return fields;
      // Locations are dropped because errors of sources only have a path, however the operation is executed.
      const document = parse(print(operation.document), { noLocation: true });
      return compileActions(document, executed, answers);
    },
    compileSubscription: (operation) => ({
      open: openEvents(parse(print(operation.document), { noLocation: true })),
    }),
    uncheckedTypes: objectNames(definitions),
  };
}

function resolver(answer: AnswerAction): GraphQLFieldResolver<unknown, ActionContext> {
  const settle = ({ context, outcomes }: ActionContext, key: string | number, input: Record<string, unknown>) => {
    const known = outcomes?.get(String(key));
    if (known) return taken(known);
    return new Promise((resolve, reject) =>
      answer(input, context, (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value))),
    );
  };
  return (_, input, context, { path }) => {
    const id = context.onId && askedJobId(input);
    if (id !== undefined) context.onId?.(id);
    return settle(context, path.key, input);
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

function built(definitions: readonly DefinitionNode[]): GraphQLSchema {
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

/** Replaces misfit values below an action's own object with null. Nothing has checked these values yet. */
function withNullsForMisfits(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type) || ROOT_TYPES.has(type.name)) continue;
    for (const [name, field] of Object.entries(type.getFields()))
      if (isObjectType(getNamedType(field.type)))
        field.resolve = (source: Readonly<Record<string, unknown>>) => objectsWithin(source[name], field.type);
  }
  return schema;
}

function withoutChecks(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const objects = objectNames(definitions);
  const unchecked = definitions.map((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || isRootDefinition(definition)) return definition;
    const fields = (definition.fields ?? []).map(
      (field): FieldDefinitionNode => ({ ...field, type: uncheckedType(field.type, objects) }),
    );
    return { ...definition, fields };
  });
  return [...unchecked, { kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: ANYTHING } }];
}

function uncheckedType(type: TypeNode, objects: ReadonlySet<string>): TypeNode {
  const named = (one: TypeNode): string => (one.kind === Kind.NAMED_TYPE ? one.name.value : named(one.type));
  const nullable = (one: TypeNode): TypeNode => {
    if (one.kind === Kind.NON_NULL_TYPE) return nullable(one.type);
    return one.kind === Kind.LIST_TYPE ? { ...one, type: nullable(one.type) } : one;
  };
  if (objects.has(named(type))) return nullable(type);
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: ANYTHING } };
}
