import { expect, test } from '@jest/globals';
import {
  type ASTNode,
  type ConstDirectiveNode,
  type DirectiveNode,
  Kind,
  type ListTypeNode,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  stripIgnoredCharacters,
  type TypeNode,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { nameNode, requestText, usedVariables } from '../../../gateway/graphql/syntax/index.ts';
import { Random } from '../generated/supergraphs/random.ts';

const STRINGS = [
  '',
  'plain',
  '"',
  '\\',
  '\n\t\r\b\f',
  '\u0000\u007f\u009f',
  'é 🙂',
  '{a:1}',
  '#',
  '"""',
  ' two  spaces ',
];
const NAMES = ['a', 'b1', '_', 'on', 'query', 'true', 'type'];

/** Makes operations of all that a request may hold; nodes may stand in several places. */
class Operations {
  readonly #random: Random;
  readonly #made: SelectionNode[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  #several<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.#random.below(most + 1) }, make);
  }

  #name(of = NAMES) {
    return nameNode(this.#random.oneOf(of));
  }

  value(levels = 3): ValueNode {
    const random = this.#random;
    switch (random.below(levels === 0 ? 7 : 9)) {
      case 0:
        return { kind: Kind.VARIABLE, name: this.#name() };
      case 1:
        return { kind: Kind.INT, value: random.oneOf(['0', '-1', '12345678901234567890']) };
      case 2:
        return { kind: Kind.FLOAT, value: random.oneOf(['1.5', '-0.0', '6.02e23']) };
      case 3:
        return { kind: Kind.STRING, value: random.oneOf(STRINGS), block: random.chance(30) };
      case 4:
        return { kind: Kind.BOOLEAN, value: random.chance(50) };
      case 5:
        return { kind: Kind.NULL };
      case 6:
        return { kind: Kind.ENUM, value: random.oneOf(['RED', 'a']) };
      case 7:
        return { kind: Kind.LIST, values: this.#several(4, () => this.value(levels - 1)) };
      default: {
        const fields = this.#several(3, () => {
          return { kind: Kind.OBJECT_FIELD, name: this.#name(), value: this.value(levels - 1) } as const;
        });
        return { kind: Kind.OBJECT, fields };
      }
    }
  }

  #arguments() {
    return this.#several(3, () => ({ kind: Kind.ARGUMENT, name: this.#name(), value: this.value() }) as const);
  }

  #directives(): DirectiveNode[] {
    if (this.#random.chance(70)) return [];
    return this.#several(2, () => ({ kind: Kind.DIRECTIVE, name: this.#name(), arguments: this.#arguments() }));
  }

  #type(levels = 2): TypeNode {
    const named: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: this.#name() };
    const type: NamedTypeNode | ListTypeNode =
      levels > 0 && this.#random.chance(40) ? { kind: Kind.LIST_TYPE, type: this.#type(levels - 1) } : named;
    return this.#random.chance(40) ? { kind: Kind.NON_NULL_TYPE, type } : type;
  }

  #selection(levels: number): SelectionNode {
    const random = this.#random;
    if (this.#made.length > 3 && random.chance(20)) return random.oneOf(this.#made);
    const made = this.#newSelection(levels);
    this.#made.push(made);
    return made;
  }

  #newSelection(levels: number): SelectionNode {
    const random = this.#random;
    const directives = this.#directives();
    const kind = random.below(levels === 0 ? 6 : 10);
    if (kind === 0) return { kind: Kind.FRAGMENT_SPREAD, name: this.#name(['F', 'G']), directives };
    const below = () => ({ kind: Kind.SELECTION_SET, selections: this.selections(levels - 1) }) as const;
    if (kind === 9) {
      const typeCondition = { kind: Kind.NAMED_TYPE, name: this.#name() } as const;
      return {
        kind: Kind.INLINE_FRAGMENT,
        directives,
        selectionSet: below(),
        ...(random.chance(70) && { typeCondition }),
      };
    }
    return {
      kind: Kind.FIELD,
      name: this.#name(),
      ...(random.chance(30) && { alias: this.#name() }),
      ...(random.chance(60) && { arguments: this.#arguments() }),
      ...(directives.length > 0 && { directives }),
      ...(kind > 6 && { selectionSet: below() }),
    };
  }

  selections(levels: number): SelectionNode[] {
    return [this.#selection(levels), ...this.#several(3, () => this.#selection(levels))];
  }

  operation(): OperationDefinitionNode {
    const random = this.#random;
    const variableDefinitions = this.#several(
      3,
      (): VariableDefinitionNode => ({
        kind: Kind.VARIABLE_DEFINITION,
        variable: { kind: Kind.VARIABLE, name: this.#name() },
        type: this.#type(),
        ...(random.chance(30) && { defaultValue: this.value() as never }),
        directives: this.#directives() as readonly ConstDirectiveNode[],
      }),
    );
    return {
      kind: Kind.OPERATION_DEFINITION,
      operation: random.oneOf(Object.values(OperationTypeNode)),
      ...(random.chance(40) && { name: this.#name() }),
      ...(random.chance(60) && { variableDefinitions }),
      directives: this.#directives(),
      selectionSet: { kind: Kind.SELECTION_SET, selections: this.selections(4) },
    };
  }
}

const SEEDS = Array.from({ length: 2000 }, (_, seed) => seed);

/** Block strings as ordinary ones. */
function withoutBlocks<T extends ASTNode>(node: T): T {
  return visit(node, { StringValue: (value) => ({ ...value, block: false }) });
}

test('a request is written as graphql-js writes it, without ignored characters', () => {
  for (const seed of SEEDS) {
    const operation = new Operations(seed).operation();
    expect(requestText(operation)).toBe(stripIgnoredCharacters(print(withoutBlocks(operation))));
  }
});

test('a block string has the same value in a request', () => {
  const text = '{ a(s: """\n  two\n    lines, "quoted" \\""" and \\u0041\n""") }';
  const [operation] = parse(text, { noLocation: true }).definitions as OperationDefinitionNode[];
  const valueIn = (written: string) => {
    const found: string[] = [];
    visit(parse(written), { StringValue: ({ value }) => void found.push(value) });
    return found;
  };
  expect(valueIn(requestText(operation as OperationDefinitionNode))).toEqual(valueIn(text));
  expect(valueIn(text)).toHaveLength(1);
});

test('the variables of a request are those that it uses', () => {
  const definitions = NAMES.map((name): VariableDefinitionNode => {
    const type: TypeNode = { kind: Kind.NAMED_TYPE, name: nameNode('Int') };
    return { kind: Kind.VARIABLE_DEFINITION, variable: { kind: Kind.VARIABLE, name: nameNode(name) }, type };
  });
  for (const seed of SEEDS) {
    const selections = new Operations(seed).selections(3);
    const used = new Set<string>();
    visit({ kind: Kind.SELECTION_SET, selections }, { Variable: ({ name }) => void used.add(name.value) });
    const found = usedVariables(definitions, selections).map(({ variable }) => variable.name.value);
    expect(found).toEqual(NAMES.filter((name) => used.has(name)));
  }
});

test('a selection that stands in many places is written once', () => {
  // Fifty levels of two fields each have 2 to the power of 50 fields; their variables are found all the same.
  let selections: SelectionNode[] = parse('{ last(a: $a) }', { noLocation: true }).definitions.flatMap((one) =>
    'selectionSet' in one ? (one.selectionSet?.selections ?? []) : [],
  );
  for (let level = 0; level < 50; level++) {
    const below = { kind: Kind.SELECTION_SET, selections } as const;
    selections = ['left', 'right'].map((name) => ({ kind: Kind.FIELD, name: nameNode(name), selectionSet: below }));
  }
  const [query] = parse('query ($a: Int, $b: Int) { a }').definitions as OperationDefinitionNode[];
  const found = usedVariables(query?.variableDefinitions ?? [], selections);
  expect(found.map(({ variable }) => variable.name.value)).toEqual(['a']);
});
