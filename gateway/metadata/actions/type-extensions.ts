import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type TypeNode,
} from 'graphql';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import type { MetadataLocation } from '../yaml/index.ts';
import type { ActionField, ReportActionProblem } from './action-type-problems.ts';
import type { ActionsMetadata } from './actions.ts';
import { readCheckDirective, type ScalarCheck } from './scalar-check.ts';

/** A part of the types of actions that Hasura does not have. */
export interface TypeExtension extends MetadataLocation {
  readonly what: string;
}

type CustomTypes = ActionsMetadata['custom_types'];

/** Adds `@oneOf` to the input objects that have it in `custom_types` only. */
export function withOneOf(
  types: readonly DefinitionNode[],
  custom: CustomTypes | undefined,
): readonly DefinitionNode[] {
  const names = new Set((custom?.input_objects ?? []).flatMap(({ name, one_of: isOneOf }) => (isOneOf ? [name] : [])));
  if (names.size === 0) return types;
  return types.map((type) => {
    if (type.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION || !names.has(type.name.value)) return type;
    return directiveOf(type, 'oneOf') ? type : { ...type, directives: [...(type.directives ?? []), ONE_OF] };
  });
}

const ONE_OF: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'oneOf' } };

/** Reads the checks of custom scalars, from `@check` in `actions.graphql` or `check` in `custom_types`. */
export function scalarChecks(
  types: readonly DefinitionNode[],
  custom: CustomTypes | undefined,
  report: ReportActionProblem,
): ReadonlyMap<string, ScalarCheck> {
  const checks = new Map<string, ScalarCheck>();
  custom?.scalars.forEach(({ name, check }) => {
    if (check) checks.set(name, check);
  });
  for (const type of types) {
    const directive = directiveOf(type, 'check');
    if (!directive) continue;
    const at = { line: lineOf(directive) ?? lineOf(type) };
    if (type.kind !== Kind.SCALAR_TYPE_DEFINITION) {
      report('@check is only for scalars', at);
      continue;
    }
    const { value: name } = type.name;
    if (checks.has(name)) report(`the scalar "${name}" has a check in custom_types too: keep one of them`, at);
    const read = readCheckDirective(directive);
    if ('check' in read) checks.set(name, read.check);
    else for (const problem of read.problems) report(`the check of the scalar "${name}": ${problem}`, at);
  }
  return checks;
}

/** Reports fields with arguments below asynchronous actions, whose webhook is called before the fields are selected. */
export function lateArgumentProblems(
  asyncOutputs: ReadonlyMap<string, TypeNode>,
  types: readonly DefinitionNode[],
  report: ReportActionProblem,
): void {
  for (const { action, coordinate, line } of fieldsWithArguments(asyncOutputs, types))
    report(
      `the field "${coordinate}" has arguments, but the webhook of the asynchronous action "${action}" is called before the field is selected`,
      { line },
    );
}

/** Reports fields with arguments below actions that are fields of types. One call serves several selections of them. */
export function ownArgumentProblems(
  outputs: ReadonlyMap<string, TypeNode>,
  types: readonly DefinitionNode[],
  report: ReportActionProblem,
): void {
  for (const { action, coordinate, line } of fieldsWithArguments(outputs, types))
    report(
      `the field "${coordinate}" has arguments, but the action "${action}" is a field of a type, and one call of its handler serves several selections`,
      { line },
    );
}

function fieldsWithArguments(outputs: ReadonlyMap<string, TypeNode>, types: readonly DefinitionNode[]) {
  const byName = new Map(
    types.flatMap((type) => ('name' in type && type.name ? [[type.name.value, type] as const] : [])),
  );
  return [...outputs].flatMap(([action, output]) =>
    fieldsBelow(innermostTypeName(output), byName, types)
      .filter(({ field }) => field.arguments?.length)
      .map(({ type, field }) => ({ action, coordinate: `${type}.${field.name.value}`, line: lineOf(field) })),
  );
}

interface OwnedField {
  readonly type: string;
  readonly field: FieldDefinitionNode;
}

/** The fields of all object types that a value of a type may contain. */
function fieldsBelow(
  start: string,
  byName: ReadonlyMap<string, DefinitionNode>,
  types: readonly DefinitionNode[],
): readonly OwnedField[] {
  const found: OwnedField[] = [];
  const reached = new Set([start]);
  for (const name of reached) {
    const type = byName.get(name);
    if (type?.kind === Kind.UNION_TYPE_DEFINITION)
      for (const member of type.types ?? []) reached.add(member.name.value);
    if (type?.kind === Kind.INTERFACE_TYPE_DEFINITION)
      for (const one of types)
        if (one.kind === Kind.OBJECT_TYPE_DEFINITION && one.interfaces?.some((owner) => owner.name.value === name))
          reached.add(one.name.value);
    if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const field of type.fields ?? []) {
      found.push({ type: name, field });
      reached.add(innermostTypeName(field.type));
    }
  }
  return found;
}

/**
 * Lists what Hasura's actions do not have: interfaces, unions, `@oneOf`, checks of scalars, fields with arguments,
 * default values, and deprecations of anything but enum values.
 */
export function typeExtensions(
  fields: readonly ActionField[],
  types: readonly DefinitionNode[],
  checks: ReadonlyMap<string, ScalarCheck>,
  locate: (line: number | undefined) => MetadataLocation,
): readonly TypeExtension[] {
  const found: TypeExtension[] = [];
  const add = (what: string, node: LocatedNode) => found.push({ ...locate(lineOf(node)), what });
  const ofMember = (label: string, node: FieldDefinitionNode | InputValueDefinitionNode) => {
    if (directiveOf(node, 'deprecated')) add(`${label} is deprecated`, node);
    if (node.kind === Kind.INPUT_VALUE_DEFINITION && node.defaultValue) add(`${label} has a default value`, node);
  };
  for (const { node } of fields) {
    ofMember(`the action ${node.name.value}`, node);
    for (const argument of node.arguments ?? [])
      ofMember(`the argument ${node.name.value}(${argument.name.value}:)`, argument);
  }
  for (const type of types) {
    if (!('name' in type) || !type.name) continue;
    const { value: name } = type.name;
    if (type.kind === Kind.INTERFACE_TYPE_DEFINITION) add(`the interface ${name}`, type);
    if (type.kind === Kind.UNION_TYPE_DEFINITION) add(`the union ${name}`, type);
    if (directiveOf(type, 'oneOf')) add(`the input object ${name} is @oneOf`, type);
    if (checks.has(name)) add(`the scalar ${name} has a check`, type);
    if (!('fields' in type)) continue;
    for (const field of type.fields ?? []) {
      ofMember(`the field ${name}.${field.name.value}`, field);
      if (field.kind === Kind.FIELD_DEFINITION && field.arguments?.length)
        add(`the field ${name}.${field.name.value} has arguments`, field);
    }
  }
  return found;
}

interface LocatedNode {
  readonly loc?: { readonly startToken: { readonly line: number } } | undefined;
}

function lineOf(node: LocatedNode): number | undefined {
  return node.loc?.startToken.line;
}

function directiveOf(node: object, name: string): ConstDirectiveNode | undefined {
  const { directives = [] } = node as { readonly directives?: readonly ConstDirectiveNode[] };
  return directives.find((directive) => directive.name.value === name);
}
