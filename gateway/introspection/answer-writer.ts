import {
  __InputValue,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getVariableValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isType,
  isWrappingType,
  Kind,
  type OperationDefinitionNode,
  print,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { defaultValueNode } from '../schemas/index.ts';
import type { Question } from './question.ts';

/** The result would be larger than its budget. */
export class TooCostly extends Error {}

/** Written here, since graphql-js fails at some defaults. */
const DEFAULT_VALUE = __InputValue.getFields().defaultValue;

/** Bytes of the answer are made in pieces of about this many characters. */
const PIECE = 65_536;
/** Objects within each other that are written as they come; those within them are put together as texts first. */
const STREAMED_LEVELS = 2;
/** Objects after which others may go on. */
const OBJECTS_PER_STEP = 50;

/** A field of a selection, with what is the same whatever object it is selected of. */
interface Selected {
  /** `"name":` */
  readonly key: string;
  /** Undefined for `__typename`. */
  readonly field: GraphQLField<unknown, unknown> | undefined;
  readonly args: Readonly<Record<string, unknown>>;
  readonly inner: MergedSelection;
}

/** What is selected of an object by one or more fields of the same place. It is taken apart when it is first needed. */
interface MergedSelection {
  readonly sets: readonly SelectionSetNode[];
  fields: readonly Selected[] | undefined;
  /** Texts of the types that it was written for; wrapping types, of which there are many equal ones, by their text. */
  readonly written: Map<unknown, string>;
}

/**
 * Writes the answer to an introspection as JSON, as graphql-js would: the resolvers are its own. It differs in what it
 * costs: what is said of a type is written once for each place of the document, however many fields are of that type.
 *
 * Yields after every few objects, so that other work can run in between.
 *
 * @param budget how many characters may be written, those of objects within objects once for each level.
 * @returns the bytes of `{"data":{…}}`.
 * @throws TooCostly; whatever a resolver throws.
 */
export function* writeAnswer(
  schema: GraphQLSchema,
  question: Question,
  variables: Readonly<Record<string, unknown>>,
  budget: number,
): Generator<void, readonly Buffer[]> {
  return yield* new AnswerWriter(schema, question, variables, budget).write();
}

class AnswerWriter {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: Question['fragments'];
  readonly #variables: { readonly [name: string]: unknown };
  readonly #info: GraphQLResolveInfo;
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #selections = new Map<string, MergedSelection>();
  readonly #pieces: Buffer[] = [];
  #texts: string[] = [];
  #length = 0;
  #left: number;
  #objects = 0;

  constructor(
    schema: GraphQLSchema,
    { operation, fragments }: Question,
    variables: Readonly<Record<string, unknown>>,
    budget: number,
  ) {
    this.#schema = schema;
    this.#operation = operation;
    this.#fragments = fragments;
    this.#left = budget;
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], { ...variables });
    if (!coerced) throw new Error(`variables of an introspection: ${errors.length} errors`);
    this.#variables = coerced;
    // Resolvers of introspection look at nothing else.
    this.#info = { schema } as GraphQLResolveInfo;
  }

  *write(): Generator<void, readonly Buffer[]> {
    const root = this.#schema.getRootType(this.#operation.operation);
    if (!root) throw new Error('no root type');
    this.#put('{"data":');
    yield* this.#streamObject(root, undefined, this.#selectionOf([this.#operation.selectionSet]), 0);
    this.#put('}');
    this.#flush();
    return this.#pieces;
  }

  *#streamObject(type: GraphQLObjectType, source: unknown, selection: MergedSelection, level: number): Generator<void> {
    let separator = '{';
    for (const selected of this.#fieldsOf(selection, type)) {
      this.#put(separator + selected.key);
      separator = ',';
      const { field } = selected;
      if (field) yield* this.#streamValue(field.type, this.#resolve(field, source, selected), selected.inner, level);
      else this.#put(JSON.stringify(type.name));
    }
    this.#put(separator === '{' ? '{}' : '}');
  }

  *#streamValue(type: GraphQLOutputType, value: unknown, inner: MergedSelection, level: number): Generator<void> {
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (value === null || value === undefined || isLeafType(nullable)) this.#put(introspectedLeaf(type, value));
    else if (isListType(nullable)) {
      let separator = '[';
      for (const item of value as Iterable<unknown>) {
        this.#put(separator);
        separator = ',';
        yield* this.#streamValue(nullable.ofType, item, inner, level);
      }
      this.#put(separator === '[' ? '[]' : ']');
    } else if (level + 1 < STREAMED_LEVELS)
      yield* this.#streamObject(nullable as GraphQLObjectType, value, inner, level + 1);
    else this.#put(yield* this.#objectText(nullable as GraphQLObjectType, value, inner));
  }

  *#objectText(type: GraphQLObjectType, source: unknown, selection: MergedSelection): Generator<void, string> {
    const key = isType(source) ? (isWrappingType(source) ? String(source) : source) : undefined;
    const known = key === undefined ? undefined : selection.written.get(key);
    if (known !== undefined) return known;
    const members: string[] = [];
    for (const selected of this.#fieldsOf(selection, type)) {
      const { field } = selected;
      if (!field) members.push(selected.key + JSON.stringify(type.name));
      else {
        const value = this.#resolve(field, source, selected);
        const text = isLeafType(isNonNullType(field.type) ? field.type.ofType : field.type)
          ? introspectedLeaf(field.type, value)
          : yield* this.#valueText(field.type, value, selected.inner);
        members.push(selected.key + text);
      }
    }
    const text = `{${members.join(',')}}`;
    this.#spend(text.length);
    if (key !== undefined) selection.written.set(key, text);
    this.#objects += 1;
    if (this.#objects % OBJECTS_PER_STEP === 0) yield;
    return text;
  }

  *#valueText(type: GraphQLOutputType, value: unknown, inner: MergedSelection): Generator<void, string> {
    const nullable = isNonNullType(type) ? type.ofType : type;
    if (value === null || value === undefined || isLeafType(nullable)) return introspectedLeaf(type, value);
    if (!isListType(nullable)) return yield* this.#objectText(nullable as GraphQLObjectType, value, inner);
    const items: string[] = [];
    for (const item of value as Iterable<unknown>) items.push(yield* this.#valueText(nullable.ofType, item, inner));
    return `[${items.join(',')}]`;
  }

  #resolve(field: GraphQLField<unknown, unknown>, source: unknown, { args }: Selected): unknown {
    if (field === DEFAULT_VALUE) {
      const node = defaultValueNode(source as GraphQLArgument);
      return node ? print(node) : null;
    }
    return field.resolve?.(source, args, undefined, this.#info);
  }

  /** The fields that are selected of an object of a type, in response order (GraphQL section 6.3.2). */
  #fieldsOf(selection: MergedSelection, type: GraphQLObjectType): readonly Selected[] {
    // A place of introspection has objects of one type only.
    selection.fields ??= [...this.#collect(selection.sets, type)].map(([name, nodes]) =>
      this.#selected(name, nodes, type),
    );
    return selection.fields;
  }

  #selected(name: string, nodes: readonly FieldNode[], type: GraphQLObjectType): Selected {
    const [node] = nodes;
    const field = node && this.#fieldOf(type, node.name.value);
    return {
      key: `${JSON.stringify(name)}:`,
      field,
      args: field && node ? getArgumentValues(field, node, this.#variables) : {},
      inner: this.#selectionOf(nodes.flatMap(({ selectionSet }) => selectionSet ?? [])),
    };
  }

  #fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === '__typename') return undefined;
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    const field = type.getFields()[name];
    if (!field) throw new Error('not a field of introspection');
    return field;
  }

  #collect(sets: readonly SelectionSetNode[], type: GraphQLObjectType): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        this.#spend(1);
        if (!this.#isIncluded(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const name = (selection.alias ?? selection.name).value;
          const same = fields.get(name);
          if (same) same.push(selection);
          else fields.set(name, [selection]);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          if (this.#applies(selection.typeCondition?.name.value, type)) collect(selection.selectionSet);
        } else if (!spread.has(selection.name.value)) {
          spread.add(selection.name.value);
          const fragment = this.#fragments.get(selection.name.value);
          if (fragment && this.#applies(fragment.typeCondition.name.value, type)) collect(fragment.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    return fields;
  }

  #isIncluded(node: SelectionNode): boolean {
    if (!node.directives?.length) return true;
    if (getDirectiveValues(GraphQLSkipDirective, node, this.#variables)?.if === true) return false;
    return getDirectiveValues(GraphQLIncludeDirective, node, this.#variables)?.if !== false;
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const abstract = this.#schema.getType(condition);
    return isAbstractType(abstract) && this.#schema.isSubType(abstract, type);
  }

  /** The same selection for the same sets, wherever they stand. */
  #selectionOf(sets: readonly SelectionSetNode[]): MergedSelection {
    const different = [...new Set(sets)];
    const key = different.map((set) => this.#numberOf(set)).join(' ');
    const known = this.#selections.get(key);
    if (known) return known;
    const made: MergedSelection = { sets: different, fields: undefined, written: new Map() };
    this.#selections.set(key, made);
    return made;
  }

  #numberOf(set: SelectionSetNode): number {
    const known = this.#numbers.get(set);
    if (known !== undefined) return known;
    this.#numbers.set(set, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  #put(text: string): void {
    this.#spend(text.length);
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length >= PIECE) this.#flush();
  }

  #flush(): void {
    if (this.#length > 0) this.#pieces.push(Buffer.from(this.#texts.join(''), 'utf8'));
    this.#texts = [];
    this.#length = 0;
  }

  #spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TooCostly();
  }
}

/** @throws Error for null where it must not be, which graphql-js has to tell. */
function introspectedLeaf(type: GraphQLOutputType, value: unknown): string {
  if (value === null || value === undefined) {
    if (isNonNullType(type)) throw new Error('null where it must not be');
    return 'null';
  }
  const nullable = isNonNullType(type) ? type.ofType : type;
  return JSON.stringify(isLeafType(nullable) ? nullable.serialize(value) : null);
}
