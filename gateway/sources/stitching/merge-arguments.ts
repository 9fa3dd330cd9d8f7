import {
  GraphQLError,
  Kind,
  type ListValueNode,
  type ObjectValueNode,
  parseValue,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { DirectiveProblem, type KeyFields, pickFields, valueAt } from './key-fields.ts';

/** The value of an argument. Holes in it stand for the key of an object or a part of the key. */
export type ArgumentTemplate = ConstantTemplate | ObjectTemplate | KeyHole | EachTemplate;

interface ConstantTemplate {
  readonly kind: 'constant';
  readonly value: unknown;
}

interface ObjectTemplate {
  readonly kind: 'object';
  readonly fields: readonly NamedTemplate[];
}

/** The value at a path within the key. An empty path stands for the whole key, an object with `fields`. */
interface KeyHole {
  readonly kind: 'key';
  readonly path: readonly string[];
  readonly fields?: KeyFields;
}

/** A list with one item for each object. */
interface EachTemplate {
  readonly kind: 'each';
  readonly item: ArgumentTemplate;
}

/** An argument or a field of an input object. */
export interface NamedTemplate {
  readonly name: string;
  readonly value: ArgumentTemplate;
}

/** The arguments of `@merge` that define arguments. */
export interface MergeArguments {
  readonly argsExpr?: string | null;
  readonly keyArg?: string | null;
  readonly keyField?: string | null;
  readonly key?: readonly string[] | null;
  readonly additionalArgs?: string | null;
}

const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;

/**
 * Reads the arguments of a root field from `argsExpr` or from the shorter notations.
 *
 * @param onlyArgument the field's argument if it has exactly one.
 * @param isMany whether the root field returns a list.
 * @throws DirectiveProblem
 */
export function mergeArguments(
  { argsExpr, keyArg, keyField, key, additionalArgs }: MergeArguments,
  onlyArgument: string | undefined,
  isMany: boolean,
): readonly NamedTemplate[] {
  if (typeof keyField === 'string' && !NAME.test(keyField))
    throw new DirectiveProblem('"keyField" must be the name of a field');
  if (keyField && key) throw new DirectiveProblem('it has both "keyField" and "key"');
  if (typeof argsExpr === 'string') {
    if (typeof keyArg === 'string' || typeof additionalArgs === 'string')
      throw new DirectiveProblem(
        '"argsExpr" contains all arguments: it cannot be combined with "keyArg" or "additionalArgs"',
      );
    // `argsExpr` defines the arguments, but `key` has to be valid nevertheless.
    if (key) keyTemplate(key);
    return expressionArguments(argsExpr, isMany);
  }
  const argument = keyArg ?? onlyArgument;
  if (argument === undefined)
    throw new DirectiveProblem(
      'the field does not have exactly one argument, so "keyArg" must name the argument for the key',
    );
  const one = key ? keyTemplate(key) : keyHole(keyField ? [keyField] : []);
  const given = atPath(namesIn(argument, '"keyArg"'), isMany ? { kind: 'each', item: one } : one);
  return typeof additionalArgs === 'string'
    ? mergedTemplates(parseArguments('additionalArgs', additionalArgs).map(constantArgument), [given])
    : [given];
}

function keyHole(path: readonly string[]): ArgumentTemplate {
  return { kind: 'key', path };
}

/** The object that paths such as `id`, `owner.id` and `ownerId:owner.id` describe. */
function keyTemplate(key: readonly string[]): ArgumentTemplate {
  if (key.length === 0) throw new DirectiveProblem('"key" is empty');
  let fields: readonly NamedTemplate[] = [];
  for (const part of [...new Set(key)]) {
    const [target = '', source = target, ...more] = part.split(':');
    if (more.length > 0) throw new DirectiveProblem(`"key": ${JSON.stringify(part)} contains more than one ":"`);
    fields = mergedTemplates(fields, [atPath(namesIn(target, '"key"'), keyHole(namesIn(source, '"key"')))]);
  }
  return { kind: 'object', fields };
}

function namesIn(path: string, where: string): readonly string[] {
  const names = path.split('.');
  if (names.every((name) => NAME.test(name))) return names;
  throw new DirectiveProblem(`${where}: ${JSON.stringify(path)} is neither a name nor several names separated by dots`);
}

/** Wraps a value in nested objects of one field each. */
function atPath([name = '', ...rest]: readonly string[], value: ArgumentTemplate): NamedTemplate {
  return { name, value: rest.length === 0 ? value : { kind: 'object', fields: [atPath(rest, value)] } };
}

/** Merges fields. If both sides have a field, its values must be objects, which are merged. */
function mergedTemplates(one: readonly NamedTemplate[], other: readonly NamedTemplate[]): readonly NamedTemplate[] {
  const merged = new Map(one.map(({ name, value }) => [name, value]));
  for (const { name, value } of other) {
    const known = merged.get(name);
    if (!known) merged.set(name, value);
    else if (known.kind === 'object' && value.kind === 'object')
      merged.set(name, { kind: 'object', fields: mergedTemplates(known.fields, value.fields) });
    else throw new DirectiveProblem(`"${name}" is given twice`);
  }
  return [...merged].map(([name, value]) => ({ name, value }));
}

const VARIABLE_OR_STRING = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#.*|\$\s*[_A-Za-z][_0-9A-Za-z.]*/g;

/**
 * Reads `argsExpr`. `$key` stands for the key and `$key.owner.id` for a part of it. `[[…]]` is a list with one item for
 * each object. The variable may have any name.
 */
function expressionArguments(expression: string, isMany: boolean): readonly NamedTemplate[] {
  const found = parseArguments('argsExpr', expression);
  const holes = found.flatMap(({ value }) => holesOf(value));
  if (holes.length === 0) throw new DirectiveProblem('"argsExpr" does not use "$key"');
  const lists = found.flatMap(({ value }) => listsOf(value));
  if (isMany && lists.length === 0)
    throw new DirectiveProblem('the field returns a list, so "argsExpr" must take keys, as in "ids: [[$key.id]]"');
  if (!isMany && lists.length > 0)
    throw new DirectiveProblem('the field returns one object, so "argsExpr" cannot take keys by "[[…]]"');
  if (isMany && lists.flatMap(({ item }) => holesOf(item)).length < holes.length)
    throw new DirectiveProblem('"argsExpr" uses "$key" outside of "[[…]]"');
  return found;
}

function parseArguments(where: string, text: string): readonly NamedTemplate[] {
  const paths: (readonly string[])[] = [];
  // GraphQL does not allow dots in variable names.
  const numbered = text.replace(VARIABLE_OR_STRING, (token) => {
    if (!token.startsWith('$')) return token;
    paths.push(token.includes('.') ? namesIn(token.slice(token.indexOf('.') + 1), `"${where}"`) : []);
    return `$key${paths.length - 1}`;
  });
  try {
    const node = parseValue(`{ ${numbered} }`) as ObjectValueNode;
    return objectFields(node, (name) => paths[Number(name.slice('key'.length))] ?? []);
  } catch (error) {
    if (error instanceof GraphQLError) throw new DirectiveProblem(`"${where}": ${error.message}`);
    if (error instanceof DirectiveProblem) throw new DirectiveProblem(`"${where}": ${error.message}`);
    throw error;
  }
}

type PathOf = (variable: string) => readonly string[];

function objectFields({ fields }: ObjectValueNode, pathOf: PathOf): readonly NamedTemplate[] {
  const names = new Set<string>();
  return fields.map(({ name: { value: name }, value }) => {
    if (names.has(name)) throw new DirectiveProblem(`"${name}" is given twice`);
    names.add(name);
    return { name, value: template(value, pathOf) };
  });
}

function template(node: ValueNode, pathOf: PathOf): ArgumentTemplate {
  if (node.kind === Kind.VARIABLE) return keyHole(pathOf(node.name.value));
  if (node.kind === Kind.OBJECT) return { kind: 'object', fields: objectFields(node, pathOf) };
  if (node.kind !== Kind.LIST) return { kind: 'constant', value: valueFromASTUntyped(node) };
  const inner = doubleBracketed(node);
  if (inner) {
    const [item, ...more] = inner.values.map((value) => template(value, pathOf));
    const isOne = item && more.length === 0 && node.values.length === 1;
    if (!isOne || holesOf(item).length === 0 || listsOf(item).length > 0)
      throw new DirectiveProblem('"[[" and "]]" must enclose one value that contains a key');
    return { kind: 'each', item };
  }
  if (node.values.some((value) => holesOf(template(value, pathOf)).length > 0))
    throw new DirectiveProblem('a key within a list: only "[[…]]" puts keys into a list');
  return { kind: 'constant', value: valueFromASTUntyped(node) };
}

/**
 * The inner list of a list that begins with `[[`. With a space between the brackets, it is an ordinary list of lists.
 */
function doubleBracketed({ loc, values: [first] }: ListValueNode): ListValueNode | undefined {
  return first?.kind === Kind.LIST && loc && first.loc?.start === loc.start + 1 ? first : undefined;
}

function constantArgument(argument: NamedTemplate): NamedTemplate {
  if (holesOf(argument.value).length > 0) throw new DirectiveProblem('"additionalArgs" contains a variable');
  return argument;
}

/** The holes of a template. */
export function holesOf(value: ArgumentTemplate): readonly KeyHole[] {
  if (value.kind === 'key') return [value];
  if (value.kind === 'each') return holesOf(value.item);
  return value.kind === 'object' ? value.fields.flatMap((field) => holesOf(field.value)) : [];
}

function listsOf(value: ArgumentTemplate): readonly EachTemplate[] {
  if (value.kind === 'each') return [value];
  return value.kind === 'object' ? value.fields.flatMap((field) => listsOf(field.value)) : [];
}

/** Sets the fields of the key in all holes that stand for a whole key. */
export function withKeyFields(value: ArgumentTemplate, fields: KeyFields): ArgumentTemplate {
  if (value.kind === 'key') return value.path.length === 0 ? { ...value, fields } : value;
  if (value.kind === 'each') return { ...value, item: withKeyFields(value.item, fields) };
  if (value.kind === 'constant') return value;
  return { ...value, fields: value.fields.map((one) => ({ ...one, value: withKeyFields(one.value, fields) })) };
}

/**
 * Computes the value of a template for some objects. Undefined if the value is unknown. A template without a list uses
 * the first object.
 */
export function filledTemplate(
  value: ArgumentTemplate,
  objects: readonly Readonly<Record<string, unknown>>[],
): unknown {
  if (value.kind === 'constant') return value.value;
  // JSON can only represent an unknown item as null.
  if (value.kind === 'each') return objects.map((object) => filledTemplate(value.item, [object]) ?? null);
  if (value.kind === 'object') return filledFields(value.fields, objects);
  const [object] = objects;
  return value.path.length === 0 && value.fields ? pickFields(object, value.fields) : valueAt(object, value.path);
}

/** Computes arguments or fields of an input object for some objects. Unknown values are left out. */
export function filledFields(
  templates: readonly NamedTemplate[],
  objects: readonly Readonly<Record<string, unknown>>[],
): Record<string, unknown> {
  const filled = templates.map(({ name, value }) => [name, filledTemplate(value, objects)] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}
