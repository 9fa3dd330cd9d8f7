import {
  BREAK,
  type ExecutionResult,
  type GraphQLSchema,
  isAbstractType,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { RoleGraph } from '../../graph/index.ts';
import { fragmentsOf } from '../../graphql/syntax/index.ts';
import {
  type CompiledSubscription,
  mapEvents,
  type OperationAnswer,
  type OperationDocument,
  type TypeNamePlaces,
  typeNamePlaces,
} from '../../sources/index.ts';
import type { WholeOperation } from '../document/index.ts';
import { withFragments } from '../document/index.ts';
import { resultIn } from '../response/index.ts';
import type { Plan } from './operation-plan.ts';

/*
 * Clients may see other names for the graph's root types than sources and plans use (PORTICO_ROOT_TYPE_NAMES).
 * Operations are validated in the client's names and planned in internal names. In results, `__typename` of a root type
 * gets the client's name.
 */

type TypeNameMap = ReadonlyMap<string, string>;

const OPERATIONS = Object.values(OperationTypeNode);

function rootNames(from: GraphQLSchema, to: GraphQLSchema): TypeNameMap {
  const names = new Map<string, string>();
  for (const operation of OPERATIONS) {
    const [one, other] = [from.getRootType(operation)?.name, to.getRootType(operation)?.name];
    if (one !== undefined && other !== undefined && one !== other) names.set(one, other);
  }
  return names;
}

/** Renames root types in an operation from client names to internal names. */
export function inInternalNames(whole: WholeOperation, { schema, internal }: RoleGraph): WholeOperation {
  if (schema === internal) return whole;
  const { document, operation } = withRenamedTypes(
    withFragments(whole.operation, whole.fragments),
    rootNames(schema, internal),
  );
  return { operation, fragments: fragmentsOf(document) };
}

/** Renames root types in an operation from internal names to client names. The reverse of `inInternalNames`. */
export function inClientNames(whole: OperationDocument, { schema, internal }: RoleGraph): OperationDocument {
  return schema === internal ? whole : withRenamedTypes(whole, rootNames(internal, schema));
}

function withRenamedTypes({ document, operation }: OperationDocument, names: TypeNameMap): OperationDocument {
  const definitions = document.definitions.map((definition) => {
    const changed = visit(definition, {
      NamedType: (node) => {
        const name = names.get(node.name.value);
        return name === undefined ? undefined : { ...node, name: { ...node.name, value: name } };
      },
    });
    return [definition, changed] as const;
  });
  const found = definitions.find(([before]) => before === operation);
  return {
    document: { ...document, definitions: definitions.map(([, changed]) => changed) },
    operation: (found?.[1] ?? operation) as OperationDocument['operation'],
  };
}

/** Renames root types in results from internal names to client names. */
export interface AnswerNames {
  readonly plan: (plan: Plan) => Plan;
  readonly events: (open: CompiledSubscription['open']) => CompiledSubscription['open'];
}

/** @returns undefined if the operation's results cannot contain the name of a root type. */
export function answerNames(whole: WholeOperation, { schema, internal }: RoleGraph): AnswerNames | undefined {
  if (schema === internal) return undefined;
  const { document } = withFragments(whole.operation, whole.fragments);
  if (!asksForRootTypes(document, internal)) return undefined;
  const places = typeNamePlaces(document);
  if (!places) return undefined;
  const names = rootNames(internal, schema);
  const toClientNames = (result: ExecutionResult): ExecutionResult => ({
    ...result,
    ...(result.data && { data: renamedAt(result.data, places, names) as typeof result.data }),
  });
  return {
    plan: (plan) => ({
      ...plan,
      run: (variables, context, done) =>
        plan.run(variables, context, (answer: OperationAnswer) => done(toClientNames(resultIn(answer)))),
    }),
    events: (open) => (variables, context) => mapEvents(open(variables, context), toClientNames),
  };
}

/** Whether `__typename` may be selected on a root type. A field of any type may return one. */
function asksForRootTypes(document: OperationDocument['document'], schema: GraphQLSchema): boolean {
  const info = new TypeInfo(schema);
  const roots = OPERATIONS.flatMap((operation) => schema.getRootType(operation) ?? []);
  let isAsked = false;
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: ({ name }) => {
        if (name.value !== '__typename') return undefined;
        const parent = info.getParentType();
        isAsked = roots.some((root) => root === parent || (isAbstractType(parent) && schema.isSubType(parent, root)));
        return isAsked ? BREAK : undefined;
      },
    }),
  );
  return isAsked;
}

/** Renames in a copy of the value, since other requests may share the value. */
function renamedAt(value: unknown, places: TypeNamePlaces, names: TypeNameMap): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renamedAt(item, places, names));
  const object: Record<string, unknown> = { ...value };
  for (const [key, below] of places) {
    if (!Object.hasOwn(object, key)) continue;
    const inner = object[key];
    if (below !== true) object[key] = renamedAt(inner, below, names);
    else if (typeof inner === 'string') object[key] = names.get(inner) ?? inner;
  }
  return object;
}
