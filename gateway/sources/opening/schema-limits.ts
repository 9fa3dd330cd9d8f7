import { type DocumentNode, type IntrospectionQuery, Kind, parse, visit } from 'graphql';
import type { SchemaLimits } from '../source.ts';

/**
 * The maximum number of characters of a name or a wrapped type. Longer ones would fill every message that contains
 * them.
 */
const MAX_NAME = 500;
/** The maximum number of list and non-null wrappers of a type. The introspection query asks for nine levels. */
const MAX_WRAPPERS = 32;
/** The maximum number of characters of a description, a default value or a deprecation reason. */
const MAX_TEXT = 65_536;
/** The number of SDL tokens allowed for each element, including its type, directives and arguments. */
const TOKENS_PER_ELEMENT = 40;

/** A schema exceeds a limit. The message names the setting that raises the limit, if there is one. */
export class SchemaTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemaTooLarge';
  }
}

export function tooManyBytes({ maxBytes }: SchemaLimits, what: string): SchemaTooLarge {
  return new SchemaTooLarge(
    `the response to the ${what} has more than ${maxBytes} bytes: PORTICO_SCHEMA_MAX_BYTES is the limit`,
  );
}

/** @throws SchemaTooLarge */
export function checkIntrospection(query: IntrospectionQuery, { maxElements }: SchemaLimits): void {
  const check = new Elements(maxElements);
  const { types, directives } = query.__schema as unknown as Introspected;
  for (const type of listOf(types)) {
    check.add(type);
    for (const field of listOf(type.fields)) {
      check.add(field);
      for (const argument of listOf(field.args)) check.add(argument);
    }
    for (const list of [type.inputFields, type.enumValues, type.interfaces, type.possibleTypes])
      for (const member of listOf(list)) check.add(member);
  }
  for (const directive of listOf(directives)) {
    check.add(directive);
    for (const argument of listOf(directive.args)) check.add(argument);
  }
}

/** @throws SchemaTooLarge; GraphQLError if the text is not SDL. */
export function checkSdl(sdl: string, { maxElements }: SchemaLimits): void {
  const check = new Elements(maxElements);
  visit(parsedSdl(sdl, maxElements), {
    enter: (node) => {
      if (node.kind === Kind.NAME) check.name(node.value);
      else if (node.kind === Kind.STRING) check.text(node.value);
      else if (COUNTED.has(node.kind)) check.count();
    },
  });
}

/**
 * The nodes that count as elements: definitions, extensions and their parts. Union members and interfaces do not count.
 */
const COUNTED: ReadonlySet<string> = new Set([
  ...Object.values(Kind).filter((kind) => /Type(Definition|Extension)$/.test(kind)),
  Kind.DIRECTIVE_DEFINITION,
  Kind.FIELD_DEFINITION,
  Kind.INPUT_VALUE_DEFINITION,
  Kind.ENUM_VALUE_DEFINITION,
]);

function parsedSdl(sdl: string, maxElements: number): DocumentNode {
  try {
    return parse(sdl, { noLocation: true, maxTokens: maxElements * TOKENS_PER_ELEMENT });
  } catch (error) {
    if (/ tokens\. /.test((error as Error).message)) throw tooManyElements(maxElements);
    throw error;
  }
}

function tooManyElements(maxElements: number): SchemaTooLarge {
  return new SchemaTooLarge(
    `the schema has more than ${maxElements} types, fields, arguments and values: PORTICO_SCHEMA_MAX_ELEMENTS is the limit`,
  );
}

/** An element of an introspection result. A service may send any value in any of these fields. */
interface Element {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly deprecationReason?: unknown;
  readonly defaultValue?: unknown;
  readonly type?: unknown;
  readonly fields?: unknown;
  readonly args?: unknown;
  readonly inputFields?: unknown;
  readonly enumValues?: unknown;
  readonly interfaces?: unknown;
  readonly possibleTypes?: unknown;
}

interface Introspected {
  readonly types?: unknown;
  readonly directives?: unknown;
}

/** Skips values that are not lists or objects. `buildClientSchema` reports where they are. */
function listOf(list: unknown): readonly Element[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** Counts elements and checks the length of their texts. */
class Elements {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  count(): void {
    this.#count += 1;
    if (this.#count > this.#most) throw tooManyElements(this.#most);
  }

  add({ name, description, deprecationReason, defaultValue, type }: Element): void {
    this.count();
    this.name(name);
    for (const text of [description, deprecationReason, defaultValue]) this.text(text);
    let inner = type;
    for (let wrappers = 0; typeof inner === 'object' && inner !== null; wrappers += 1) {
      if (wrappers > MAX_WRAPPERS)
        throw new SchemaTooLarge(`the schema has a type within more than ${MAX_WRAPPERS} lists and non-null types`);
      this.name((inner as Element).name);
      inner = (inner as { readonly ofType?: unknown }).ofType;
    }
  }

  name(name: unknown): void {
    if (typeof name === 'string' && name.length > MAX_NAME)
      throw new SchemaTooLarge(`the schema has a name of ${name.length} characters: ${MAX_NAME} are the limit`);
  }

  text(text: unknown): void {
    if (typeof text === 'string' && text.length > MAX_TEXT)
      throw new SchemaTooLarge(
        `the schema has a description, reason or default value of ${text.length} characters: ${MAX_TEXT} are the limit`,
      );
  }
}
