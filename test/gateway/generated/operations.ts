import fc from 'fast-check';
import {
  astFromValue,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  type NamedTypeNode,
  OperationTypeNode,
  parseType,
  print,
  typeFromAST,
} from 'graphql';

/** A document of one operation, and the variables that it declares. */
export interface GeneratedOperation {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface GeneratorOptions {
  readonly schema: GraphQLSchema;
  readonly kind?: `${OperationTypeNode}`;
  /** Values of arguments by their names, or by the names of their types. */
  readonly values?: Readonly<Record<string, readonly unknown[]>>;
  /** How deep fields with selections are nested at most. */
  readonly depth?: number;
  /** Whether variables may have default values, which are used where a client sends none. */
  readonly hasDefaults?: boolean;
}

const DEPTH = 4;

/** Operations as fast-check makes them, so that one that fails is made smaller. */
export function operations(options: GeneratorOptions): fc.Arbitrary<GeneratedOperation> {
  return fc
    .array(fc.nat({ max: 9_999 }), { minLength: 60, maxLength: 400 })
    .map((decisions) => generateOperation(options, decisions));
}

/**
 * Makes a valid operation with whatever changes the form of an answer: aliases (names of other fields and of keys among
 * them, `__typename` under other keys), fragments of both kinds with every type condition that may stand there, whether
 * an object can satisfy it or not, the same key asked for several times, `@skip` and `@include` by variable and by constant.
 *
 * @param decisions what is chosen each time that there is a choice; the simplest once they are used up.
 */
function generateOperation(options: GeneratorOptions, decisions: readonly number[]): GeneratedOperation {
  return new OperationGenerator(options, decisions).operation();
}

class OperationGenerator {
  readonly #options: GeneratorOptions;
  readonly #schema: GraphQLSchema;
  readonly #depth: number;
  readonly #decisions: Iterator<number>;
  readonly #variables: Record<string, unknown> = {};
  readonly #declared: { readonly type: string; readonly value: unknown; readonly text: string }[] = [];
  readonly #fragments: string[] = [];
  /** What each response key stands for, by the keys that lead to it: it has to be the same in all fragments. */
  readonly #meanings = new Map<string, string>();
  #aliases = 0;
  #isUsedUp = false;

  constructor(options: GeneratorOptions, decisions: readonly number[]) {
    this.#options = options;
    this.#schema = options.schema;
    this.#depth = options.depth ?? DEPTH;
    this.#decisions = decisions.values();
  }

  operation(): GeneratedOperation {
    const { kind = OperationTypeNode.QUERY } = this.#options;
    const root = this.#schema.getRootType(kind as OperationTypeNode);
    if (!root) throw new Error(`no ${kind}`);
    // A subscription has one root field, whatever variables say (GraphQL 5.2.4.1).
    const isSubscription = kind === OperationTypeNode.SUBSCRIPTION;
    const selection = isSubscription ? `{ ${this.#field(root, [], 0, false)} }` : this.#selection(root, [], 0);
    const texts = this.#declared.map(({ text }) => text);
    const declared = texts.length > 0 ? `(${texts.join(', ')})` : '';
    return {
      text: [`${kind} Generated${declared} ${selection}`, ...this.#fragments].join('\n'),
      variables: this.#variables,
    };
  }

  /** A number from 0 to `most`. */
  #upTo(most: number): number {
    const { value, done } = this.#decisions.next();
    this.#isUsedUp = done === true;
    return (value ?? 0) % (most + 1);
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[this.#upTo(items.length - 1)] as T;
  }

  #chance(percent: number): boolean {
    return 99 - this.#upTo(99) < percent;
  }

  #selection(type: GraphQLNamedType, path: readonly string[], depth: number): string {
    const count = 1 + this.#upTo(depth === 0 ? 2 : 3);
    const parts: string[] = [];
    for (let i = 0; i < count && !(this.#isUsedUp && i > 0); i++) parts.push(this.#part(type, path, depth));
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: GraphQLNamedType, path: readonly string[], depth: number): string {
    const isNestable = path.length + depth < 3 * this.#depth;
    if (isNestable && this.#chance(isAbstractType(type) ? 50 : 20)) return this.#fragment(type, path, depth);
    if (this.#chance(15)) return this.#typeName(path);
    const field = this.#field(type, path, depth);
    return field ?? this.#typeName(path);
  }

  #fragment(type: GraphQLNamedType, path: readonly string[], depth: number): string {
    if (this.#chance(15)) return `...${this.#directive() || ' '} ${this.#selection(type, path, depth + 0.5)}`;
    const condition = this.#oneOf(this.#conditionsFor(type));
    if (this.#chance(70))
      return `... on ${condition.name}${this.#directive()} ${this.#selection(condition, path, depth + 0.5)}`;
    const name = `F${this.#fragments.length}`;
    // Its place is taken before what it spreads.
    const index = this.#fragments.push('') - 1;
    this.#fragments[index] = `fragment ${name} on ${condition.name} ${this.#selection(condition, path, depth + 0.5)}`;
    return `...${name}${this.#directive()}`;
  }

  /** Every type that shares an object type with this one. */
  #conditionsFor(type: GraphQLNamedType): readonly GraphQLNamedType[] {
    const own = new Set(this.#objectTypes(type));
    const root =
      isObjectType(type) && Object.values(OperationTypeNode).some((kind) => this.#schema.getRootType(kind) === type);
    if (root) return [type];
    return Object.values(this.#schema.getTypeMap()).filter(
      (other) => isCompositeType(other) && this.#objectTypes(other).some((one) => own.has(one)),
    );
  }

  #objectTypes(type: GraphQLNamedType): readonly GraphQLObjectType[] {
    if (isObjectType(type)) return [type];
    return isAbstractType(type) ? this.#schema.getPossibleTypes(type) : [];
  }

  #typeName(path: readonly string[]): string {
    return `${this.#key('__typename', 'the type', path).prefix}__typename${this.#directive()}`;
  }

  #field(type: GraphQLNamedType, path: readonly string[], depth: number, mayBeSkipped = true): string | undefined {
    if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
    const fields = Object.values(type.getFields()).filter(
      (field) => depth < this.#depth || !isCompositeType(getNamedType(field.type)),
    );
    if (fields.length === 0) return undefined;
    const field = this.#oneOf(fields);
    const named = getNamedType(field.type);
    const given = this.#arguments(field);
    const { key, prefix } = this.#key(field.name, `${field.name}${given}: ${String(field.type)}`, path);
    const directive = mayBeSkipped ? this.#directive() : '';
    const inner = isCompositeType(named) ? ` ${this.#selection(named, [...path, key], Math.floor(depth) + 1)}` : '';
    return `${prefix}${field.name}${given}${directive}${inner}`;
  }

  /** A key that means nothing else at this place. */
  #key(name: string, meaning: string, path: readonly string[]): { readonly key: string; readonly prefix: string } {
    const candidates = [this.#chance(30) ? this.#alias(name) : name, name, `${name.replaceAll('_', '')}Again`];
    const free = candidates.find((key) => (this.#meanings.get([...path, key].join(' ')) ?? meaning) === meaning);
    const key = free ?? `k${this.#aliases++}`;
    this.#meanings.set([...path, key].join(' '), meaning);
    return { key, prefix: key === name ? '' : `${key}: ` };
  }

  /** Names of fields are the aliases that are mistaken for those. */
  #alias(name: string): string {
    if (this.#chance(30)) return `${name.replaceAll('_', '')}Again`;
    const names = Object.values(this.#schema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
      .flatMap((type) => Object.keys((type as GraphQLObjectType).getFields()));
    return this.#chance(40) ? 'id' : this.#oneOf(names);
  }

  #arguments(field: GraphQLField<unknown, unknown>): string {
    const { values = {} } = this.#options;
    const given = field.args.flatMap(({ name, type }) => {
      if (!String(type).endsWith('!') && this.#chance(40)) return [];
      const value = this.#oneOf(values[name] ?? values[getNamedType(type).name] ?? [1]);
      const isLiteral = isPlain(value) && !isEnumLike(String(type)) && this.#chance(40);
      return [`${name}: ${isLiteral ? JSON.stringify(value) : this.#variable(String(type), value)}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  #directive(): string {
    if (!this.#chance(15)) return '';
    const condition = this.#chance(30) ? String(this.#chance(50)) : this.#variable('Boolean!', this.#chance(50));
    const second = this.#chance(15) ? ` @include(if: ${this.#variable('Boolean!', this.#chance(70))})` : '';
    return ` @${second ? 'skip' : this.#oneOf(['skip', 'include'])}(if: ${condition})${second}`;
  }

  /** Equal values of one type are one variable, so that what has it may be asked for twice. */
  #variable(type: string, value: unknown): string {
    const known = this.#declared.findIndex((declared) => declared.type === type && declared.value === value);
    if (known >= 0) return `$v${known}`;
    const name = `v${this.#declared.length}`;
    const isDefault = this.#options.hasDefaults === true && this.#chance(25);
    const literal = isDefault ? ` = ${this.#literal(type, value)}` : '';
    this.#declared.push({ type, value, text: `$${name}: ${type}${literal}` });
    if (!isDefault) this.#variables[name] = value;
    return `$${name}`;
  }

  #literal(type: string, value: unknown): string {
    const known = typeFromAST(this.#schema, parseType(type) as NamedTypeNode) as GraphQLInputType | undefined;
    const literal = known && astFromValue(value, known);
    if (!literal) throw new TypeError(`no ${type}: ${JSON.stringify(value)}`);
    return print(literal);
  }
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

const SCALARS = new Set(['Int', 'Float', 'String', 'Boolean', 'ID']);

/** Whether values of a type are written as names. */
function isEnumLike(type: string): boolean {
  return !SCALARS.has(type.replace(/[[\]!]/g, ''));
}
