import {
  BREAK,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  isNonNullType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { MAX_RELAYED_ERRORS } from '../../errors.ts';
import type { RoleGraph } from '../../graph/index.ts';
import { fragmentsOf } from '../../graphql/syntax/index.ts';
import type { CompiledOperation, IncrementalOperation, OperationDocument, Subschema } from '../../sources/index.ts';
import { PassthroughBody } from '../../upstream/index.ts';
import { hasUnconditionalField, rootFieldsAtRun } from '../document/index.ts';
import { introspectionPlan } from './introspection-plan.ts';
import type { Owner } from './owners.ts';

/**
 * Plans an operation that has one owner. Returns undefined if it has to be planned over the whole graph, because
 * another source may add fields to a type that this subschema lacks.
 */
export function ownerPlan(owner: Owner, part: OperationDocument, graph: RoleGraph): CompiledOperation | undefined {
  if (owner === 'graph') return introspectionPlan(part, graph);
  if (graph.isAlwaysPlanned(owner) || !isWithin(owner, part)) return undefined;
  const prepared = owner.compile?.(part);
  return prepared && sourcePlan(prepared, part, graph);
}

/** Whether a subschema has all fields and arguments of an operation. The subschema need not be valid on its own. */
export function isWithin({ schema }: Subschema, { document }: OperationDocument): boolean {
  const info = new TypeInfo(schema);
  let isAllThere = true;
  const look = (found: unknown) => {
    if (found) return undefined;
    isAllThere = false;
    return BREAK;
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => look(info.getFieldDef()),
      Argument: () => look(info.getArgument()),
      NamedType: ({ name }) => look(schema.getType(name.value)),
    }),
  );
  return isAllThere;
}

/**
 * Runs a compiled operation as GraphQL runs its root fields. The source is not called if all root fields are skipped. A
 * failure of the whole operation is reported for each root field.
 */
function sourcePlan(
  prepared: CompiledOperation,
  { document, operation }: OperationDocument,
  graph: RoleGraph,
): CompiledOperation {
  const fragments = fragmentsOf(document);
  const maySkipAll = !hasUnconditionalField(operation, fragments);
  return {
    kind: prepared.kind,
    ...(prepared.takesFiles && { takesFiles: true }),
    ...(prepared.describe && { describe: prepared.describe }),
    run: (variables, context, done) => {
      const fieldsAtRun = () => rootFieldsAtRun(operation, fragments, variables);
      if (maySkipAll && fieldsAtRun().size === 0) done({ data: {} });
      else
        prepared.run(variables, context, (answer) => {
          if (answer instanceof PassthroughBody || !isFailure(answer)) done(answer);
          else done(failedFields(answer, fieldsAtRun(), operation, graph));
        });
    },
  };
}

/** Plans an operation whose response may be incremental. */
export function incrementalPlan(
  prepared: IncrementalOperation,
  { document, operation }: OperationDocument,
  graph: RoleGraph,
): IncrementalOperation {
  const fragments = fragmentsOf(document);
  return {
    run: (variables, context, formats, receiver) => {
      const fields = rootFieldsAtRun(operation, fragments, variables);
      if (fields.size === 0) receiver.answered({ data: {} });
      else
        prepared.run(variables, context, formats, {
          answered: (answer) => {
            if (answer instanceof PassthroughBody || !isFailure(answer)) receiver.answered(answer);
            else receiver.answered(failedFields(answer, fields, operation, graph));
          },
          begun: (parameters, flow) => receiver.begun(parameters, flow),
          part: (part) => receiver.part(part),
          ended: (last) => receiver.ended(last),
        });
    },
  };
}

/** Whether the source failed the whole operation and not just a field: there is no data and no error has a path. */
function isFailure({ data, errors = [] }: ExecutionResult): boolean {
  return data === null && errors.every((error) => error.path === undefined);
}

/**
 * Makes each root field null, with each error, up to the limit of relayed errors. If a root field is non-null, all data
 * becomes null.
 */
function failedFields(
  { errors = [] }: ExecutionResult,
  fields: ReadonlyMap<string, readonly FieldNode[]>,
  operation: OperationDefinitionNode,
  { schema }: RoleGraph,
): ExecutionResult {
  const type = schema.getRootType(operation.operation);
  const data: Record<string, unknown> = Object.create(null);
  const fieldErrors: GraphQLError[] = [];
  let isNull = false;
  for (const [key, nodes] of fields) {
    const name = nodes[0]?.name.value ?? key;
    if (name === '__typename') {
      data[key] = type?.name;
      continue;
    }
    data[key] = null;
    isNull ||= isNonNullType(type?.getFields()[name]?.type);
    const room = MAX_RELAYED_ERRORS + 1 - fieldErrors.length;
    for (const { message, extensions, originalError } of errors.slice(0, Math.max(1, room)))
      fieldErrors.push(new GraphQLError(message, { path: [key], extensions, originalError }));
  }
  return { data: isNull ? null : data, ...(fieldErrors.length > 0 && { errors: fieldErrors }) };
}
