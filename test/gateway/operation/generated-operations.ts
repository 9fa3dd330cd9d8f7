import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
} from 'graphql';

/** A document of one operation, and the variables that it declares. */
export interface GeneratedOperation {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Values of arguments, by their names: some that sources answer, some that they fail for. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  id: ['1', '2', 'nobody', 'broken'],
  first: [0, 1, 3, null],
  status: ['OPEN', 'SHIPPED'],
  filter: [{}, { item: 'bolt' }, { item: null, atLeast: 2 }],
};
const DEPTH = 3;

/** Makes operations of a schema with aliases, fragments of both kinds, directives, variables and root `__typename`. */
export class OperationGenerator {
  readonly #schema: GraphQLSchema;
  readonly #decisions: Iterator<number>;
  readonly #variables: Record<string, unknown> = {};
  readonly #declared: string[] = [];
  readonly #fragments: string[] = [];
  #keys = 0;

  /** @param decisions what is made of all that can be made; when they are used up, the simplest is. */
  constructor(schema: GraphQLSchema, decisions: readonly number[]) {
    this.#schema = schema;
    this.#decisions = decisions.values();
  }

  operation(kind: 'query' | 'mutation'): GeneratedOperation {
    const root = kind === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType();
    if (!root) throw new Error(`no ${kind}`);
    const selection = this.#selection(root, 0);
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(', ')})` : '';
    return {
      text: `${kind} Generated${declared} ${selection}\n${this.#fragments.join('\n')}`,
      variables: this.#variables,
    };
  }

  /** A number from 0 to `most`. */
  #upTo(most: number): number {
    return (this.#decisions.next().value ?? 0) % (most + 1);
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[this.#upTo(items.length - 1)] as T;
  }

  #chance(percent: number): boolean {
    return 99 - this.#upTo(99) < percent;
  }

  #selection(type: GraphQLOutputType | GraphQLObjectType, depth: number): string {
    const named = getNamedType(type);
    const parts: string[] = [];
    const count = 1 + this.#upTo(depth === 0 ? 4 : 2);
    for (let i = 0; i < count; i++) parts.push(this.#part(named as GraphQLObjectType, depth));
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: GraphQLObjectType, depth: number): string {
    if (isAbstractType(type) && (!isInterfaceType(type) || this.#chance(50))) {
      const possible = this.#oneOf(this.#schema.getPossibleTypes(type));
      return `... on ${possible.name}${this.#directive()} ${this.#selection(possible, depth)}`;
    }
    if (this.#chance(12)) return `${this.#alias('__typename')}__typename`;
    if (depth < DEPTH && this.#chance(15)) return `...${this.#directive() || ' '} ${this.#selection(type, depth)}`;
    if (depth < DEPTH && this.#chance(15)) {
      const name = `F${this.#fragments.length}`;
      // Its place is taken before what it spreads.
      const index = this.#fragments.push('') - 1;
      this.#fragments[index] = `fragment ${name} on ${type.name} ${this.#selection(type, depth)}`;
      return `...${name}${this.#directive()}`;
    }
    return this.#field(type, depth);
  }

  #field(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth < DEPTH || !isCompositeType(getNamedType(field.type)),
    );
    const field = this.#oneOf(fields);
    const isNested = isCompositeType(getNamedType(field.type));
    const inner = isNested ? ` ${this.#selection(field.type, depth + 1)}` : '';
    const given = this.#arguments(field);
    const directive = this.#directive();
    // What has arguments could not be merged with another.
    const alias = given ? `k${this.#keys++}: ` : this.#alias(field.name);
    return `${alias}${field.name}${given}${directive}${inner}`;
  }

  #alias(name: string): string {
    return this.#chance(25) ? `${name.replaceAll('_', '')}Again: ` : '';
  }

  #arguments(field: GraphQLField<unknown, unknown>): string {
    const given = field.args.flatMap(({ name, type }) => {
      if (!String(type).endsWith('!') && this.#chance(30)) return [];
      const value = this.#oneOf(VALUES[name] ?? [1]);
      const isLiteral = typeof value !== 'object' && name !== 'status' && this.#chance(40);
      return [`${name}: ${isLiteral ? JSON.stringify(value) : this.#variable(String(type), value)}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  #directive(): string {
    if (!this.#chance(15)) return '';
    const condition = this.#chance(40) ? 'true' : this.#variable('Boolean!', this.#upTo(1) === 1);
    return ` @${this.#oneOf(['skip', 'include'])}(if: ${condition})`;
  }

  #variable(type: string, value: unknown): string {
    const name = `v${this.#declared.length}`;
    this.#declared.push(`$${name}: ${type}`);
    this.#variables[name] = value;
    return `$${name}`;
  }
}
