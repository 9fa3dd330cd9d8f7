import {
  type DefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { ActionField, ReportActionProblem } from './action-type-problems.ts';
import type { ActionsMetadata } from './actions.ts';

/** The root of fields that are in both `Query` and `Subscription`. */
export const ASYNC_ROOT = 'Query and Subscription';

const ID_TYPE = 'uuid';

/** Returns the names of the asynchronous mutations. Queries are always synchronous, as in Hasura. */
export function asyncActionNames(
  fields: readonly ActionField[],
  actions: ActionsMetadata['actions'] = [],
): ReadonlySet<string> {
  const mutations = new Set(fields.filter(({ root }) => root === 'Mutation').map(({ node }) => node.name.value));
  const names = actions.filter(({ definition }) => definition.kind === 'asynchronous').map(({ name }) => name);
  return new Set(names.filter((name) => mutations.has(name)));
}

/** Returns the names of the asynchronous actions whose results show the progress of their webhooks. */
export function progressActionNames(
  names: ReadonlySet<string>,
  actions: ActionsMetadata['actions'] = [],
): ReadonlySet<string> {
  return new Set(
    actions.filter(({ name, definition }) => definition.job?.progress && names.has(name)).map(({ name }) => name),
  );
}

function progressTypeName(action: string): string {
  return `${action}_progress`;
}

/** Reports custom types with the name of an asynchronous action, since its result type has that name. */
export function asyncProblems(
  types: readonly DefinitionNode[],
  names: ReadonlySet<string>,
  progressNames: ReadonlySet<string>,
  report: ReportActionProblem,
): void {
  const progressTypes = new Map([...progressNames].map((action) => [progressTypeName(action), action]));
  for (const type of types) {
    const name = 'name' in type ? type.name?.value : undefined;
    if (name !== undefined && names.has(name))
      report(
        `the type "${name}" has the name of an asynchronous action, which is the name of the action’s result type`,
        {
          line: type.loc?.startToken.line,
        },
      );
    const action = progressTypes.get(name ?? '');
    if (action !== undefined)
      report(`the type "${name}" has the name of the type of the progress of the action "${action}"`, {
        line: type.loc?.startToken.line,
      });
  }
}

export interface AsyncDefinitions {
  /** The fields that return results. */
  readonly fields: readonly ActionField[];
  /** The result type of each action, as in Hasura. */
  readonly types: readonly ObjectTypeDefinitionNode[];
  /** The output types of the actions. */
  readonly outputs: ReadonlyMap<string, TypeNode>;
  /** Returns the mutation of an asynchronous action with an id as its result. Other fields stay unchanged. */
  accepting(field: ActionField): ActionField;
}

/** Creates the definitions of asynchronous actions (https://hasura.io/docs/2.0/actions/async-actions). */
export function asyncDefinitions(
  fields: readonly ActionField[],
  names: ReadonlySet<string>,
  progressNames: ReadonlySet<string> = new Set(),
): AsyncDefinitions {
  const found = fields.filter(({ root, node }) => root === 'Mutation' && names.has(node.name.value));
  const outputs = new Map(found.map(({ node }) => [node.name.value, node.type]));
  return {
    outputs,
    fields: found.map(({ node }) => ({ root: ASYNC_ROOT, node: resultField(node) })),
    types: found.flatMap(({ node }) => {
      const { value: name } = node.name;
      if (!progressNames.has(name)) return [actionResultType(name, node.type)];
      return [actionResultType(name, node.type, true), progressType(name, node.type)];
    }),
    accepting: (field) => {
      const { root, node } = field;
      return root === 'Mutation' && names.has(node.name.value) ? { root, node: { ...node, type: idType() } } : field;
    },
  };
}

function resultField(node: FieldDefinitionNode): FieldDefinitionNode {
  return {
    kind: Kind.FIELD_DEFINITION,
    name: node.name,
    type: named(node.name.value),
    arguments: [
      {
        kind: Kind.INPUT_VALUE_DEFINITION,
        name: { kind: Kind.NAME, value: 'id' },
        description: described('the unique id of an action'),
        type: idType(),
      },
    ],
    ...(node.loc && { loc: node.loc }),
  };
}

function actionResultType(action: string, output: TypeNode, hasProgress = false): ObjectTypeDefinitionNode {
  return {
    kind: Kind.OBJECT_TYPE_DEFINITION,
    name: { kind: Kind.NAME, value: action },
    description: described(`fields of action: "${action}"`),
    fields: [
      field('created_at', nonNullType('timestamptz'), 'the time at which this action was created'),
      field('errors', named('json'), 'errors related to the invocation'),
      field('id', idType(), 'the unique id of an action'),
      field('output', nullable(output), 'the output fields of this action'),
      ...(hasProgress
        ? [field('progress', named(progressTypeName(action)), 'what the webhook has reported of the attempt that runs')]
        : []),
    ],
  };
}

function progressType(action: string, output: TypeNode): ObjectTypeDefinitionNode {
  return {
    kind: Kind.OBJECT_TYPE_DEFINITION,
    name: { kind: Kind.NAME, value: progressTypeName(action) },
    description: described(`progress of action: "${action}"`),
    fields: [
      field('message', named('String'), 'the last message'),
      field('output', nullable(output), 'the last partial output'),
      field('percent', named('Float'), 'the last percentage, from 0 to 100'),
      field('updated_at', nonNullType('timestamptz'), 'the time of the last report'),
    ],
  };
}

function field(name: string, type: TypeNode, description: string): FieldDefinitionNode {
  return {
    kind: Kind.FIELD_DEFINITION,
    name: { kind: Kind.NAME, value: name },
    description: described(description),
    type,
  };
}

function nullable(type: TypeNode): TypeNode {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type;
}

function described(value: string) {
  return { kind: Kind.STRING, value } as const;
}

function named(value: string) {
  return { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value } } as const;
}

function nonNullType(value: string): TypeNode {
  return { kind: Kind.NON_NULL_TYPE, type: named(value) };
}

function idType(): TypeNode {
  return nonNullType(ID_TYPE);
}
