import {
  buildASTSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  isUnionType,
  OperationTypeNode,
  parse,
  print,
  valueFromAST,
} from 'graphql';
import { suggestion } from '../../../platform/index.ts';
import type { FieldConditions } from '../../access/variables/index.ts';
import { defaultValueNode } from '../../graphql/schemas/index.ts';
import type { RemoteSchemaMetadata, ValuePath } from '../../metadata/index.ts';
import { schemaValidationProblems } from '../schema-problems.ts';
import { SourceError, type SourceProblem, type Subschema } from '../source.ts';
import { permittedConditions } from './field-conditions.ts';
import type { Presets } from './preset.ts';
import { evadablePresetProblems, presetTypeProblems } from './preset-checks.ts';
import { takePresets } from './presets.ts';
import { sdlLines } from './sdl-lines.ts';

/** The permission of a role on a remote schema. */
export interface Permitted {
  /** The part that the role sees. */
  readonly schema: GraphQLSchema;
  /** The part including the preset inputs, which the role does not see. */
  readonly withPresets: GraphQLSchema;
  readonly presets: Presets;
  /** The session conditions of fields, in the source's names. Undefined if there are none. */
  readonly conditions?: FieldConditions | undefined;
}

/**
 * Returns the permission of each listed role.
 *
 * @param needsRoots whether a permission without a root type is a problem. If types are joined with those of other
 *   services, a permission may consist of fields of such types only.
 * @throws SourceError listing everything that does not fit the remote schema.
 */
export function permittedParts(
  metadata: RemoteSchemaMetadata,
  upstream: GraphQLSchema,
  needsRoots: boolean,
): ReadonlyMap<string, Permitted> {
  const parts = new Map<string, Permitted>();
  const problems: SourceProblem[] = [];
  (metadata.permissions ?? []).forEach(({ role, definition, session_conditions: written, inheritedFrom }, index) => {
    // Inherited permissions follow the permission they are inherited from, where their problems are reported.
    const same = inheritedFrom === undefined ? undefined : parts.get(inheritedFrom);
    if (same) parts.set(role, same);
    if (inheritedFrom !== undefined) return;
    const part = permittedSchema(definition.schema, upstream);
    const path = ['permissions', index, 'definition', 'schema'];
    const found = 'problems' in part ? part.problems : needsRoots ? rootProblems(part.schema, upstream) : [];
    if ('schema' in part)
      parts.set(role, { ...part, conditions: permittedConditions(written, part.withPresets, upstream) });
    problems.push(...permissionProblems(role, definition.schema, found, path));
  });
  if (problems.length > 0) throw new SourceError(problems);
  return parts;
}

/**
 * Reports a permission without root types. This happens if the service gives its root types other names and the
 * permission does not declare them.
 */
function rootProblems(part: GraphQLSchema, upstream: GraphQLSchema): readonly string[] {
  if (ROOT_OPERATIONS.some((operation) => part.getRootType(operation))) return [];
  const roots = ROOT_OPERATIONS.flatMap((operation) => {
    const type = upstream.getRootType(operation);
    return type ? [`${operation}: ${type.name}`] : [];
  });
  return [
    `it has no root type, so it permits nothing: declare the root types that it has in "schema { ${roots.join(' ')} }"`,
  ];
}

const ROOT_OPERATIONS = Object.values(OperationTypeNode);

/** Formats the problems of a role's permission, with the lines of its SDL. */
export function permissionProblems(
  role: string,
  sdl: string,
  problems: readonly string[],
  path: ValuePath,
): readonly SourceProblem[] {
  const lineOf = sdlLines(sdl);
  return problems.map((problem) => ({
    path,
    line: lineOf(problem),
    message: `permission of role "${role}": ${problem}`,
  }));
}

/** Creates the subschema of each role. Roles with the same permission share one subschema. */
export function partsByRole(
  permitted: ReadonlyMap<string, Permitted>,
  subschemaOf: (part: Permitted) => Subschema,
): ReadonlyMap<string, Subschema> {
  const made = new Map<Permitted, Subschema>();
  const parts = new Map<string, Subschema>();
  for (const [role, part] of permitted) {
    const subschema = made.get(part) ?? subschemaOf(part);
    made.set(part, subschema);
    parts.set(role, subschema);
  }
  return parts;
}

/**
 * Builds the part of a remote schema that a role sees from the SDL of its permission.
 *
 * @param upstream the whole remote schema. The SDL must be an exact part of it.
 * @returns the part, or all problems of the SDL.
 */
export function permittedSchema(sdl: string, upstream: GraphQLSchema): Permitted | { problems: readonly string[] } {
  const found: string[] = [];
  try {
    const { whole: document, visible, presets, problems } = takePresets(parse(sdl));
    found.push(...problems);
    const withPresets = buildASTSchema(document);
    const schema = buildASTSchema(visible);
    const types = Object.values(withPresets.getTypeMap());
    for (const type of types.filter((one) => !isIntrospectionType(one) && !isSpecifiedScalarType(one))) {
      const whole = counterpart(type, withPresets, upstream);
      if (whole) found.push(...permittedTypeProblems(type, whole));
      else found.push(missingInRemote('type', type.name, type.name, Object.keys(upstream.getTypeMap())));
    }
    found.push(...presetTypeProblems(presets, withPresets), ...evadablePresetProblems(presets, withPresets));
    // An incorrect part is often an invalid schema as well. The problems found above are more specific.
    if (found.length === 0) found.push(...schemaValidationProblems(schema));
    if (found.length > 0) return { problems: found };
    for (const type of types) inheritDefaults(type, counterpart(type, withPresets, upstream));
    for (const part of [withPresets, schema])
      for (const type of Object.values(part.getTypeMap())) inheritOneOf(type, upstream.getType(type.name));
    return { schema, withPresets, presets };
  } catch (error) {
    return { problems: [...found, ...(error as Error).message.split('\n\n').map(withRemedy)] };
  }
}

/** Adds advice to unknown types. The SDL of a permission must declare all types that it uses. */
function withRemedy(problem: string): string {
  const unknown = /^(Unknown type "\w+")\.$/.exec(problem)?.[1];
  return unknown
    ? `${unknown}: the SDL of a permission must declare each type that it uses, including scalars`
    : problem;
}

/** The type in the whole schema that corresponds to `type`. Root types may have other names there. */
function counterpart(type: GraphQLNamedType, part: GraphQLSchema, whole: GraphQLSchema): GraphQLNamedType | undefined {
  if (type === part.getQueryType()) return whole.getQueryType() ?? undefined;
  if (type === part.getMutationType()) return whole.getMutationType() ?? undefined;
  if (type === part.getSubscriptionType()) return whole.getSubscriptionType() ?? undefined;
  return whole.getType(type.name);
}

function permittedTypeProblems(part: GraphQLNamedType, whole: GraphQLNamedType): readonly string[] {
  if ((isObjectType(part) && isObjectType(whole)) || (isInterfaceType(part) && isInterfaceType(whole))) {
    const fields = whole.getFields();
    const interfaces = new Set(whole.getInterfaces().map((one) => one.name));
    const extra = part.getInterfaces().filter((one) => !interfaces.has(one.name));
    return [
      ...extra.map((one) => `"${part.name}" does not implement "${one.name}" in the remote schema`),
      ...Object.values(part.getFields()).flatMap((field) => {
        const place = `${part.name}.${field.name}`;
        const other = Object.hasOwn(fields, field.name) ? fields[field.name] : undefined;
        if (!other) return [missingInRemote('field', place, field.name, Object.keys(fields))];
        return [...sameType(place, field, other), ...inputProblems(place, field.args, other.args)];
      }),
    ];
  }
  if (isInputObjectType(part) && isInputObjectType(whole))
    return inputProblems(part.name, Object.values(part.getFields()), Object.values(whole.getFields()));
  if (isEnumType(part) && isEnumType(whole)) {
    const values = new Set(whole.getValues().map((value) => value.name));
    const extra = part.getValues().filter((value) => !values.has(value.name));
    return extra.map(({ name }) => missingInRemote('enum value', `${part.name}.${name}`, name, [...values]));
  }
  if (isUnionType(part) && isUnionType(whole)) {
    const members = new Set(whole.getTypes().map((type) => type.name));
    const extra = part.getTypes().filter((type) => !members.has(type.name));
    return extra.map((type) => `"${type.name}" is not a member of "${part.name}" in the remote schema`);
  }
  if (part.constructor === whole.constructor) return [];
  return [`type "${part.name}" is of another kind in the remote schema`];
}

/** @param known the names that exist at this place in the remote schema. */
function missingInRemote(kind: string, place: string, name: string, known: readonly string[]): string {
  return `${kind} "${place}" does not exist in the remote schema${suggestion(name, known)}`;
}

/** Compares the arguments of a field or the fields of an input object. */
function inputProblems(place: string, part: readonly InputValue[], whole: readonly InputValue[]): readonly string[] {
  const missing = whole.filter((other) => isRequiredInput(other) && !part.some((input) => input.name === other.name));
  const known = whole.map(({ name }) => name);
  return [
    ...missing.map((other) => `"${place}" lacks "${other.name}", which the remote schema requires`),
    ...part.flatMap((input) => {
      const other = whole.find((candidate) => candidate.name === input.name);
      if (!other) return [`"${place}" has no "${input.name}" in the remote schema${suggestion(input.name, known)}`];
      const at = `${place}.${input.name}`;
      return [...sameType(at, input, other), ...sameDefault(at, input, other)];
    }),
  ];
}

function isRequiredInput(input: InputValue): boolean {
  return isRequiredArgument(input as GraphQLArgument) || isRequiredInputField(input as GraphQLInputField);
}

function sameType(place: string, part: { type: unknown }, whole: { type: unknown }): readonly string[] {
  if (String(part.type) === String(whole.type)) return [];
  return [`"${place}" has the type ${String(part.type)}, in the remote schema it has ${String(whole.type)}`];
}

/** Compares defaults. A permission may leave out the remote schema's default, but not change it. */
function sameDefault(place: string, part: InputValue, whole: InputValue): readonly string[] {
  const [ours, theirs] = [part, whole].map(defaultValueNode);
  if (!ours || (theirs && print(ours) === print(theirs))) return [];
  // The remote's default includes the defaults of input fields, which the permission may leave out.
  const completed = defaultValueNode({ type: whole.type, defaultValue: valueFromAST(ours, whole.type) });
  if (completed && theirs && print(completed) === print(theirs)) return [];
  const found = theirs ? print(theirs) : 'none';
  return [`"${place}" has the default ${print(ours)}, in the remote schema it has ${found}`];
}

/** An argument of a field or a field of an input object. */
type InputValue = GraphQLArgument | GraphQLInputField;

/** Copies defaults that the permission leaves out from the remote schema. */
function inheritDefaults(part: GraphQLNamedType, whole: GraphQLNamedType | undefined): void {
  const defaults = new Map(inputsOf(whole).map(([key, input]) => [key, input.defaultValue]));
  for (const [key, input] of inputsOf(part))
    if (input.defaultValue === undefined) input.defaultValue = defaults.get(key);
}

/** Copies `@oneOf` from the remote schema, since a permission may leave it out. */
function inheritOneOf(part: GraphQLNamedType, whole: GraphQLNamedType | undefined): void {
  if (isInputObjectType(part) && isInputObjectType(whole)) part.isOneOf ||= whole.isOneOf;
}

function inputsOf(type: GraphQLNamedType | undefined): readonly (readonly [key: string, input: InputValue])[] {
  if (isInputObjectType(type)) return Object.entries(type.getFields());
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, args }) =>
    args.map((argument) => [`${name}.${argument.name}`, argument] as const),
  );
}
