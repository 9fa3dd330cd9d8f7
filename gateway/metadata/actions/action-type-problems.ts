import {
  buildASTSchema,
  type DefinitionNode,
  type FieldDefinitionNode,
  isInputType,
  Kind,
  type NamedTypeNode,
  type NameNode,
  type TypeNode,
  typeFromAST,
  validateSchema,
  valueFromAST,
  visit,
} from 'graphql';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import type { ValuePath } from '../yaml/index.ts';
import type { ActionsMetadata } from './actions.ts';
import { POSTGRES_SCALARS } from './postgres-scalars.ts';
import { checkScalars, type ScalarCheck } from './scalar-check.ts';

/** An action in `actions.graphql`. */
export interface ActionField {
  /** `Query`, `Mutation` or `Subscription`. */
  readonly root: string;
  readonly node: FieldDefinitionNode;
}

/** Reports a problem at a line of `actions.graphql`, or at a path of `actions.yaml` if there is no such line. */
export type ReportActionProblem = (
  message: string,
  at: { readonly line?: number | undefined; readonly path?: ValuePath },
) => void;

type DefinitionKind = DefinitionNode['kind'];

const INPUT_KINDS: readonly DefinitionKind[] = [
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
];
const OUTPUT_KINDS: readonly DefinitionKind[] = [
  Kind.SCALAR_TYPE_DEFINITION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.INTERFACE_TYPE_DEFINITION,
  Kind.UNION_TYPE_DEFINITION,
];
const BUILT_IN_SCALARS = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);
const CUSTOM_TYPE_KINDS = ['enums', 'input_objects', 'interfaces', 'objects', 'scalars', 'unions'] as const;

/** Returns the problem with the kind of a definition other than the root types. */
export function unsupportedDefinition(definition: DefinitionNode): string | undefined {
  if (INPUT_KINDS.includes(definition.kind) || OUTPUT_KINDS.includes(definition.kind)) return undefined;
  const kind = definition.kind
    .replace('Definition', '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return invalidTypes(`expected object types, interfaces, unions, inputs, enums and scalars only, found: ${kind}`);
}

/** Reports actions that are not exactly once in both files, and custom types with no or several definitions. */
export function nameProblems(
  { actions, custom_types }: ActionsMetadata,
  fields: readonly ActionField[],
  types: readonly DefinitionNode[],
  report: ReportActionProblem,
): void {
  const declared = actions.map((action) => action.name);
  const inSdl = fields.map(({ node }) => node.name.value);
  actions.forEach(({ name, definition }, index) => {
    const at = (...path: PropertyKey[]) => ({ path: ['actions', index, ...path] });
    if (declared.indexOf(name) < index) report(`action with name "${name}" already exists`, at('name'));
    else if (!inSdl.includes(name)) report(`action ${name} is not present in actions.graphql`, at('name'));
    if (definition.kind !== 'asynchronous' && definition.job)
      report(`action "${name}": only asynchronous actions have jobs`, at('definition', 'job'));
    const root = fields.find(({ node }) => node.name.value === name)?.root;
    for (const { message, path } of subscriptionProblems(definition, root))
      report(`action "${name}": ${message}`, at('definition', ...path));
  });
  fields.forEach(({ node }, index) => {
    const name = node.name.value;
    const at = { line: definitionLine(node), path: ['actions', declared.indexOf(name)] };
    if (inSdl.indexOf(name) < index) report(`action with name "${name}" already exists`, at);
    else if (!declared.includes(name)) report(`${name} in actions.graphql is not an action of actions.yaml`, at);
  });

  const names = types.map((type) => definedName(type)?.value ?? '');
  types.forEach((type, index) => {
    const name = names[index] ?? '';
    const at = { line: definitionLine(type) };
    if (names.indexOf(name) < index) report(invalidTypes(`the type "${name}" is defined twice`), at);
    else if (BUILT_IN_SCALARS.has(name)) report(invalidTypes(`the type "${name}" is GraphQL’s own`), at);
  });
  for (const kind of CUSTOM_TYPE_KINDS)
    custom_types[kind].forEach(({ name }, index) => {
      const path = ['custom_types', kind, index];
      if (!names.includes(name)) report(`custom type ${name} is not present in actions.graphql`, { path });
    });
}

/** Returns what does not fit a subscription, or fits nothing else. `root` is undefined if `actions.graphql` lacks the action. */
function subscriptionProblems(
  { kind, subscription, authentication_field, resilience }: ActionsMetadata['actions'][number]['definition'],
  root: string | undefined,
): readonly { readonly message: string; readonly path: readonly string[] }[] {
  if (kind !== 'subscription')
    return [
      ...(root === 'Subscription'
        ? [{ message: 'a field of Subscription needs kind: subscription', path: ['kind'] }]
        : []),
      ...(subscription ? [{ message: 'only actions of the kind subscription have it', path: ['subscription'] }] : []),
    ];
  const other = (path: readonly string[], isSet: unknown) =>
    isSet ? [{ message: 'does not apply to the kind subscription', path }] : [];
  return [
    ...(root !== undefined && root !== 'Subscription'
      ? [{ message: `its field must be in type Subscription, not in type ${root}`, path: ['kind'] }]
      : []),
    ...other(['authentication_field'], authentication_field),
    ...other(['resilience', 'concurrency'], resilience?.concurrency),
    ...other(['resilience', 'deduplicate'], resilience?.deduplicate),
  ];
}

/**
 * Reports wrong types. Arguments must be scalars, enums or input objects. Results must be scalars, enums, objects,
 * interfaces or unions.
 */
export function typeProblems(
  fields: readonly ActionField[],
  types: readonly DefinitionNode[],
  report: ReportActionProblem,
): void {
  const kinds = new Map(types.map((type) => [definedName(type)?.value, type.kind]));
  const isOf = (allowed: readonly DefinitionKind[], type: TypeNode) => {
    const name = innermostTypeName(type);
    const isScalar = BUILT_IN_SCALARS.has(name) || POSTGRES_SCALARS.has(name);
    const kind = kinds.get(name) ?? (isScalar ? Kind.SCALAR_TYPE_DEFINITION : undefined);
    return kind !== undefined && allowed.includes(kind);
  };

  for (const { node } of fields) {
    const action = node.name.value;
    for (const argument of node.arguments ?? []) {
      if (isOf(INPUT_KINDS, argument.type)) continue;
      const reason = 'is not defined in custom types or it is not a scalar/enum/input_object';
      const where = `argument "${argument.name.value}" of action "${action}"`;
      report(`the type: "${innermostTypeName(argument.type)}" ${reason} (${where})`, {
        line: definitionLine(argument),
      });
    }
    if (isOf(OUTPUT_KINDS, node.type)) continue;
    const reason = 'is not an object or scalar type defined in custom types';
    report(`the type: "${innermostTypeName(node.type)}" ${reason} (output of action "${action}")`, {
      line: definitionLine(node),
    });
  }
  for (const type of types) {
    for (const { name, owner, allowed } of namedIn(type)) {
      if (kinds.get(name.value) === allowed) continue;
      const kind = allowed === Kind.OBJECT_TYPE_DEFINITION ? 'an object type' : 'an interface';
      report(invalidTypes(`the type "${name.value}" of "${owner}" is not ${kind} that is defined`), {
        line: definitionLine(name),
      });
    }
    const isInput = type.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;
    if (!isInput && type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const field of type.fields ?? []) {
      for (const argument of ('arguments' in field && field.arguments) || []) {
        if (isOf(INPUT_KINDS, argument.type)) continue;
        const where = `the argument "${argument.name.value}" of "${type.name.value}.${field.name.value}"`;
        const reason = `the type "${innermostTypeName(argument.type)}" of ${where} is not a scalar, enum or input object`;
        report(invalidTypes(reason), { line: definitionLine(argument) });
      }
      if (isOf(isInput ? INPUT_KINDS : OUTPUT_KINDS, field.type)) continue;
      const where = `the field "${field.name.value}" of "${type.name.value}"`;
      const reason = `the type "${innermostTypeName(field.type)}" of ${where} is not defined, or not of a kind that fits there`;
      report(invalidTypes(reason), { line: definitionLine(field) });
    }
  }
}

/** The types that a definition names other than by its fields: members of a union, and implemented interfaces. */
function namedIn(
  type: DefinitionNode,
): readonly { readonly name: NameNode; readonly owner: string; readonly allowed: DefinitionKind }[] {
  const named = (list: readonly NamedTypeNode[] | undefined, owner: string, allowed: DefinitionKind) =>
    (list ?? []).map(({ name }) => ({ name, owner, allowed }));
  if (type.kind === Kind.UNION_TYPE_DEFINITION) return named(type.types, type.name.value, Kind.OBJECT_TYPE_DEFINITION);
  if (type.kind !== Kind.OBJECT_TYPE_DEFINITION && type.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  return named(type.interfaces, type.name.value, Kind.INTERFACE_TYPE_DEFINITION);
}

/** Reports violations of GraphQL's other rules for types, such as an input object that contains itself as a non-null field. */
export function schemaProblems(
  definitions: readonly DefinitionNode[],
  checks: ReadonlyMap<string, ScalarCheck>,
  report: ReportActionProblem,
): void {
  if (definitions.length === 0) return;
  const schema = buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValidSDL: true });
  checkScalars(schema, checks);
  for (const error of validateSchema(schema))
    if (error.message !== 'Query root type must be provided.')
      report(invalidTypes(error.message), { line: error.locations?.[0]?.line });
  for (const definition of definitions)
    visit(definition, {
      InputValueDefinition: ({ name, type, defaultValue }) => {
        const inputType = defaultValue && typeFromAST(schema, type as NamedTypeNode);
        if (!isInputType(inputType) || valueFromAST(defaultValue, inputType) !== undefined) return;
        report(invalidTypes(`the default value of "${name.value}" is not a value of its type`), {
          line: definitionLine(name),
        });
      },
    });
}

function invalidTypes(reason: string): string {
  return `validation for the given custom types failed because ${reason}`;
}

function definedName(definition: DefinitionNode): NameNode | undefined {
  return 'name' in definition ? definition.name : undefined;
}

function definitionLine(node: { readonly loc?: { readonly startToken: { readonly line: number } } | undefined }) {
  return node.loc?.startToken.line;
}
