import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  GraphQLError,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
  visit,
} from 'graphql';
import type { MetadataLocation, MetadataProblem, ValuePath } from '../yaml/index.ts';
import { type ActionTypeField, actionTypeFields } from './action-fields.ts';
import {
  type ActionField,
  nameProblems,
  type ReportActionProblem,
  schemaProblems,
  typeProblems,
  unsupportedDefinition,
} from './action-type-problems.ts';
import type { ActionsMetadata } from './actions.ts';
import { ASYNC_ROOT, asyncActionNames, asyncDefinitions, asyncProblems, progressActionNames } from './async-actions.ts';
import { POSTGRES_SCALARS } from './postgres-scalars.ts';
import type { ScalarCheck } from './scalar-check.ts';
import {
  lateArgumentProblems,
  ownArgumentProblems,
  scalarChecks,
  type TypeExtension,
  typeExtensions,
  withOneOf,
} from './type-extensions.ts';

/** The text that defines the types of actions. */
export interface ActionsSdl {
  readonly actionsSdl: string;
  /** The name of the file with the text. Undefined if the text was created from an export. */
  readonly actionsSdlFile: string | undefined;
}

/** The definitions of `actions.graphql`. */
export interface ActionTypes {
  /**
   * The actions as fields of `Query`, `Mutation` and `Subscription`, with all types that they may use. Scalars of PostgreSQL are defined, and
   * an action's comment is its field's description.
   */
  readonly document: DocumentNode;
  /** The names of the actions that are queries. */
  readonly queries: ReadonlySet<string>;
  /** The output types of the asynchronous actions by name. In the document, their mutations return an id. */
  readonly asyncOutputs: ReadonlyMap<string, TypeNode>;
  /** The checks of custom scalars by name. */
  readonly checks: ReadonlyMap<string, ScalarCheck>;
  /** What Hasura's actions do not have. */
  readonly extensions: readonly TypeExtension[];
  /** The actions that are fields of types instead of root fields, by name. */
  readonly typeFields: ReadonlyMap<string, ActionTypeField>;
}

/**
 * Joins `actions.yaml` and `actions.graphql`. Adds problems to `problems`, with Hasura's messages where they exist
 * (https://hasura.io/docs/2.0/actions/types).
 *
 * @param actions undefined if `actions.yaml` itself is invalid. Then only the types are checked.
 */
export function actionTypes(
  { actionsSdl, actionsSdlFile }: ActionsSdl,
  actions: ActionsMetadata | undefined,
  problems: MetadataProblem[],
  place: (path: ValuePath) => MetadataLocation,
): ActionTypes {
  const report = reporter(actionsSdlFile, place, problems);
  const before = problems.length;
  const read = readDefinitions(actionsSdl, report);
  const found = read ?? [];
  const fields = found.flatMap(actionRootFields);
  const types = withOneOf(
    found.filter((definition) => !isRootType(definition)),
    actions?.custom_types,
  );
  const checks = scalarChecks(types, actions?.custom_types, report);
  if (read) {
    if (actions) nameProblems(actions, fields, types, report);
    typeProblems(fields, types, report);
  }
  const typeFields = actions && read ? actionTypeFields(actions, fields, types, report) : new Map();
  const asyncNames = asyncActionNames(fields, actions?.actions);
  const progressNames = progressActionNames(asyncNames, actions?.actions);
  const made = asyncDefinitions(fields, asyncNames, progressNames);
  if (read) {
    asyncProblems(types, asyncNames, progressNames, report);
    lateArgumentProblems(made.outputs, types, report);
    const ofTypes = fields.filter(({ node }) => typeFields.has(node.name.value));
    ownArgumentProblems(new Map(ofTypes.map(({ node }) => [node.name.value, node.type])), types, report);
  }
  const definitions = [
    ...rootTypeDefinition('Query', [...fields, ...made.fields], actions?.actions),
    ...rootTypeDefinition('Mutation', fields.map(made.accepting), actions?.actions),
    ...rootTypeDefinition('Subscription', [...fields, ...made.fields], actions?.actions),
    ...types,
    ...made.types,
    ...implicitScalars([...found, ...made.types], types),
  ];
  if (problems.length === before) schemaProblems(definitions, checks, report);
  const queries = fields.filter(({ root }) => root === 'Query').map(({ node }) => node.name.value);
  return {
    document: { kind: Kind.DOCUMENT, definitions },
    queries: new Set(queries),
    asyncOutputs: made.outputs,
    checks,
    extensions: typeExtensions(fields, types, checks, (line) =>
      actionsSdlFile === undefined || line === undefined ? place(['custom_types']) : { file: actionsSdlFile, line },
    ),
    typeFields,
  };
}

/** Returns undefined for a syntax error. */
function readDefinitions(sdl: string, report: ReportActionProblem): readonly DefinitionNode[] | undefined {
  if (/^(\s|#.*)*$/.test(sdl)) return [];
  try {
    return parse(sdl).definitions.filter((definition) => {
      const problem = isRootType(definition) ? undefined : unsupportedDefinition(definition);
      if (problem) report(problem, { line: definition.loc?.startToken.line });
      return !problem;
    });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    report(error.message, { line: error.locations?.[0]?.line });
    return undefined;
  }
}

function reporter(
  file: string | undefined,
  place: (path: ValuePath) => MetadataLocation,
  problems: MetadataProblem[],
): ReportActionProblem {
  return (message, { line, path = ['custom_types'] }) => {
    if (file === undefined || line === undefined) problems.push({ ...place(path), message });
    else problems.push({ file, line, message });
  };
}

const ROOT_TYPE_NAMES: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription']);

/** `type Query` and `extend type Query` mean the same: the file may use either of them, several times. */
function isRootType(definition: DefinitionNode): definition is ObjectTypeDefinitionNode {
  const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
  return isObject && ROOT_TYPE_NAMES.has(definition.name.value);
}

function actionRootFields(definition: DefinitionNode): readonly ActionField[] {
  if (!isRootType(definition)) return [];
  const root = definition.name.value;
  return (definition.fields ?? []).map((node) => ({ root, node }));
}

function rootTypeDefinition(
  name: string,
  fields: readonly ActionField[],
  actions: ActionsMetadata['actions'] = [],
): readonly ObjectTypeDefinitionNode[] {
  const described = fields
    .filter(({ root }) => root === name || (root === ASYNC_ROOT && name !== 'Mutation'))
    .map(({ node }): FieldDefinitionNode => {
      const comment = actions.find((action) => action.name === node.name.value)?.comment;
      return comment ? { ...node, description: { kind: Kind.STRING, value: comment } } : node;
    });
  if (described.length === 0) return [];
  return [{ kind: Kind.OBJECT_TYPE_DEFINITION, name: { kind: Kind.NAME, value: name }, fields: described }];
}

function implicitScalars(
  definitions: readonly DefinitionNode[],
  types: readonly DefinitionNode[],
): readonly DefinitionNode[] {
  const defined = new Set(types.flatMap((type) => ('name' in type ? type.name?.value : undefined)));
  const used = new Set<string>();
  for (const definition of definitions) visit(definition, { NamedType: ({ name }) => void used.add(name.value) });
  return [...used]
    .filter((name) => POSTGRES_SCALARS.has(name) && !defined.has(name))
    .map((value) => ({ kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value } }));
}
