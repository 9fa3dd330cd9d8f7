import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { RelationshipMetadata } from '../../metadata/index.ts';
import type { Subschema } from '../../sources/index.ts';
import type { Relationship, RelationshipStep } from './relationship.ts';
import { argumentProblems, type FieldTypes } from './relationship-arguments.ts';

/** A problem and its location in the description of the relationship. */
export interface RelationshipProblem {
  readonly message: string;
  readonly path: readonly string[];
}

/**
 * Resolves the description of a relationship against the graph.
 *
 * @param source the part that has the type, as a role sees it.
 * @param target the part that resolves the relationship, as a role sees it.
 * @returns the problems if the two parts lack an element or it does not fit.
 */
export function resolveRelationship(
  described: RelationshipMetadata,
  source: Subschema,
  target: Subschema,
): Relationship | RelationshipProblems {
  const names = namesInGraph(source);
  const name = names.type(described.type);
  const type = names.schema.getType(name);
  if (!isObjectType(type) || type === names.schema.getQueryType() || type === names.schema.getMutationType())
    return { problems: [problem(`there is no object type "${described.type}"`, 'name')] };
  if (Object.hasOwn(type.getFields(), described.name))
    return { problems: [problem(`the type "${described.type}" already has a field "${described.name}"`, 'name')] };
  const found = relationshipFields(described, type, (field) => names.field(name, field));
  if ('problems' in found) return found;
  const way = stepsTo(described, target, found.types);
  if ('problems' in way) return way;
  return {
    name: described.name,
    type: name,
    description: way.description,
    keys: found.keys,
    target: target.source,
    steps: way.steps,
    answer: getNullableType(way.answer),
    clientArguments: way.left,
  };
}

function problem(message: string, ...path: string[]): RelationshipProblem {
  return { message, path };
}

function inDefinition(message: string, key: 'lhs_fields' | 'remote_field'): RelationshipProblem {
  return problem(message, 'definition', 'to_remote_schema', key);
}

type RelationshipProblems = { readonly problems: readonly RelationshipProblem[] };

function relationshipFields(
  { type: typeName, fields }: RelationshipMetadata,
  type: GraphQLObjectType,
  nameOf: (field: string) => string,
): { keys: ReadonlyMap<string, string>; types: FieldTypes } | RelationshipProblems {
  const keys = new Map<string, string>();
  const types = new Map<string, GraphQLOutputType>();
  const problems: RelationshipProblem[] = [];
  for (const field of fields) {
    const graphName = nameOf(field);
    const found = Object.hasOwn(type.getFields(), graphName) ? type.getFields()[graphName] : undefined;
    if (!found) problems.push(inDefinition(`the type "${typeName}" has no field "${field}"`, 'lhs_fields'));
    else if (!isLeafType(getNamedType(found.type)))
      problems.push(inDefinition(`"${typeName}.${field}" is neither a scalar nor an enum`, 'lhs_fields'));
    else if (found.args.some(isRequiredArgument))
      problems.push(inDefinition(`"${typeName}.${field}" has required arguments`, 'lhs_fields'));
    else {
      keys.set(field, graphName);
      types.set(field, found.type);
    }
  }
  return problems.length > 0 ? { problems } : { keys, types };
}

interface StepsToTarget {
  readonly steps: readonly RelationshipStep[];
  readonly answer: GraphQLOutputType;
  readonly left: readonly GraphQLArgument[];
  readonly description: string;
}

function stepsTo(
  described: RelationshipMetadata,
  target: Subschema,
  types: FieldTypes,
): StepsToTarget | RelationshipProblems {
  const names = namesInGraph(target);
  const wrong = (...messages: string[]) => ({ problems: messages.map((one) => inDefinition(one, 'remote_field')) });
  const steps: RelationshipStep[] = [];
  let type: unknown = names.schema.getQueryType();
  const namespaced = names.namespace;
  if (namespaced !== undefined && isObjectType(type)) {
    steps.push({ field: namespaced, arguments: [] });
    type = getNullableType(type.getFields()[namespaced]?.type);
  }
  let last: GraphQLField<unknown, unknown> | undefined;
  let left: readonly GraphQLArgument[] = [];
  for (const [index, step] of described.steps.entries()) {
    const isLast = index === described.steps.length - 1;
    const parent = isObjectType(type) ? type : undefined;
    const graphName = parent ? names.field(parent.name, step.field) : step.field;
    last = parent?.getFields()[graphName];
    if (!last)
      return wrong(`"${described.target}" has no field "${step.field}"${index === 0 ? ' to query' : ' there'}`);
    const given = Object.entries(step.arguments);
    const problems = given.flatMap(([name, value]) => {
      const argument = last?.args.find((one) => one.name === name);
      if (!argument) return [`"${step.field}" has no argument "${name}"`];
      return argumentProblems(`${step.field}.${name}`, value, argument.type, types);
    });
    left = last.args.filter((argument) => !Object.hasOwn(step.arguments, argument.name));
    if (!isLast) {
      const missing = left.filter(isRequiredArgument);
      problems.push(...missing.map(({ name }) => `"${step.field}" requires the argument "${name}"`));
      if (isListType(getNullableType(last.type)) || !isObjectType(getNamedType(last.type)))
        problems.push(`"${step.field}" does not return a single object, so no fields can be selected in it`);
    }
    if (problems.length > 0) return wrong(...problems);
    steps.push({
      field: graphName,
      arguments: last.args.flatMap(({ name, type: argumentType }) =>
        Object.hasOwn(step.arguments, name) ? [{ name, type: argumentType, value: step.arguments[name] }] : [],
      ),
    });
    type = getNullableType(last.type);
  }
  if (!last) return wrong('expected a field');
  return { steps, answer: last.type, left, description: last.description ?? '' };
}

/** The names of a service's elements in the graph. */
interface GraphNames {
  /** The visible part of the service in the graph's names. */
  readonly schema: GraphQLSchema;
  /** The field that contains the root fields. Undefined if they are at the root. */
  readonly namespace: string | undefined;
  type(own: string): string;
  /** @param type the type's name in the graph. */
  field(type: string, own: string): string;
}

function namesInGraph({ schema, visible = schema, customized }: Subschema): GraphNames {
  if (!customized) return { schema: visible, namespace: undefined, type: (own) => own, field: (_, own) => own };
  const types = new Map([...customized.types].map(([renamed, own]) => [own, renamed]));
  const fields = new Map(
    [...customized.fields].map(([coordinate, own]) => {
      const [type = '', renamed = ''] = coordinate.split('.');
      return [`${type}.${own}`, renamed];
    }),
  );
  return {
    schema: visible,
    namespace: customized.namespace,
    type: (own) => types.get(own) ?? own,
    field: (type, own) => fields.get(`${type}.${own}`) ?? own,
  };
}
