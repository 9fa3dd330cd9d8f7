import { filterSchema } from '@graphql-tools/utils';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Lexer,
  parse,
  printSchema,
  Source,
  TokenKind,
  validate,
} from 'graphql';
import { keeper, openGateway, openIssuer } from '../harness/index.ts';
import { Faults } from './media-data.ts';
import { mediaSchema } from './media-schema.ts';
import { plainRemotes } from './media-services.ts';
import { operations } from './operations.ts';

const { keep, close } = keeper();
afterAll(close);

/** Documents for each way. A long run: `GENERATED_OPERATIONS=2000`. */
const RUNS = Number(process.env.GENERATED_OPERATIONS ?? 100);

const VALUES = {
  id: ['i0', 'p1'],
  ids: [['p0'], []],
  first: [0, null],
  person: ['p0'],
  text: ['x'],
  Boolean: [true, false],
};
const HIDDEN = new Set(['readers', 'reader_ids', 'people', 'price', 'members', 'spouse']);

const WHOLE = mediaSchema(new Faults());
/** What a role sees: a hidden field must be reported like one that is not there. */
const PART = filterSchema({
  schema: WHOLE,
  rootFieldFilter: (_, name) => !HIDDEN.has(name),
  objectFieldFilter: (_, name) => !HIDDEN.has(name),
  interfaceFieldFilter: (_, name) => !HIDDEN.has(name),
});

const issuer = await keep(openIssuer());

async function openFor(permissions?: readonly object[]) {
  const [remote] = await plainRemotes(new Faults(), keep);
  const metadata = { 'remote_schemas.yaml': [{ ...remote, ...(permissions && { permissions }) }] };
  const environment = {
    HASURA_GRAPHQL_LOG_LEVEL: 'error',
    PORTICO_MAX_ALIASES: '1000',
    PORTICO_MAX_DIRECTIVES: '1000',
  };
  return keep(openGateway({ issuer, metadata, environment }));
}

/** What stands in the place of a token, or behind it. */
const TEXTS = [
  ...['', '{', '}', '(', ')', ':', '!', '$nope', '...', '... on Book', '...F0', '@skip(if: true)', '@nope', '@include'],
  ...['id', 'ids', 'nope', 'titel', 'price', 'Book', 'Media', 'Found', 'Int', 'null', 'on', '__typename', '__proto__'],
  ...[
    '1',
    '-1',
    '01',
    '1.',
    '1e',
    '"s"',
    '"',
    '"""b"""',
    '"\\u{0}"',
    '"\\uD800"',
    '[1]',
    '{a: 1}',
    '2147483648',
    '\u0000',
    '?',
  ],
];

const edits = fc.array(fc.record({ at: fc.nat(9_999), text: fc.constantFrom(...TEXTS), replaces: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

function edited(text: string, changes: readonly { at: number; text: string; replaces: boolean }[]): string {
  const lexer = new Lexer(new Source(text));
  const tokens: string[] = [];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance())
    tokens.push(text.slice(token.start, token.end));
  for (const { at, text: other, replaces } of changes) tokens.splice(at % tokens.length, replaces ? 1 : 0, other);
  return tokens.join(' ');
}

interface Told {
  readonly message: string;
  readonly locations?: readonly unknown[] | undefined;
}

/** The gateway repeats no values: texts of tokens that it did not expect, and literals of another type, are left out. */
function told({ message, locations = [] }: Told): string {
  const text = message.replace(/\b(Name|String|BlockString|Int|Float) "[\s\S]*"/, '$1');
  const isAboutValue = /^(Expected value of type|Enum |Value |Expected "|\w+ cannot represent)/.test(text);
  return `${isAboutValue ? 'a value' : text} ${JSON.stringify(locations)}`;
}

function expectedOf(schema: GraphQLSchema, text: string): readonly string[] {
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return [told(error)];
    throw error;
  }
  return validate(schema, document, undefined, { maxErrors: 20 }).map(told).sort();
}

describe('documents with mistakes are refused for what graphql-js finds', () => {
  test.each([
    ['a role that sees the whole schema', WHOLE, undefined],
    ['a role that sees a part of it', PART, [{ role: 'user', definition: { schema: printSchema(PART) } }]],
  ])('by %s', async (_, schema, permissions) => {
    const gateway = await openFor(permissions);
    const token = issuer.token();
    await fc.assert(
      fc.asyncProperty(operations({ schema: WHOLE, values: VALUES, depth: 3 }), edits, async (operation, changes) => {
        const text = edited(operation.text, changes);
        const expected = expectedOf(schema, text);
        const { status, body } = await gateway.graphql(text, { token, variables: operation.variables });
        expect({ text, status }).toEqual({ text, status: 200 });
        if (expected.length === 0 || expected.length >= 20) return;
        expect({ text, told: (body.errors ?? []).map(told).sort() }).toEqual({ text, told: expected });
        expect(body).not.toHaveProperty('data');
      }),
      { numRuns: RUNS },
    );
  });
});
