import { buildASTSchema, parse } from 'graphql';
import { inSlices, type Sliced } from '../../../platform/index.ts';
import { readSupergraphTypes } from '../supergraph/index.ts';
import { FederatedGraph, subgraphServices } from './execute/index.ts';

/** The number of times each operation is planned. Afterwards the JavaScript engine has compiled the slow parts. */
const ROUNDS = 10;

/**
 * Plans operations on a graph of its own, in slices. In a new process, code is five times as slow until it has run
 * often enough to be compiled. Without the warm-up, the first operation of a client would block the event loop for that
 * long.
 */
export async function warmUpPlanner(): Promise<void> {
  await inSlices(planRounds());
}

function* planRounds(): Sliced<void> {
  const supergraph = parse(SUPERGRAPH, { noLocation: true });
  const publicSchema = buildASTSchema(supergraph, { assumeValidSDL: true });
  yield;
  for (let round = 0; round < ROUNDS; round++) {
    // A new graph has read no types yet, like the graph of a new process.
    const types = readSupergraphTypes(supergraph);
    const graph = new FederatedGraph<undefined>({ types, publicSchema, services: subgraphServices(() => {}) });
    for (const text of OPERATIONS) {
      graph.prepare(text).plan({});
      yield;
    }
  }
}

const JOINED = ['ONE', 'TWO', 'THREE'];
const byId = (graphs: readonly string[], more = '') =>
  graphs.map((graph) => `@join__type(graph: ${graph}, key: "id"${more})`).join(' ');
const of = (graph: string, more = '') => `@join__field(graph: ${graph}${more})`;

/** A graph of three services with every feature that influences planning. */
const SUPERGRAPH = `
  schema { query: Query mutation: Mutation }
  enum join__Graph { ${JOINED.map((graph) => `${graph} @join__graph(name: "${graph}", url: "")`).join(' ')} }
  type Query ${JOINED.map((graph) => `@join__type(graph: ${graph})`).join(' ')} {
    thing(n: Int): Thing ${of('ONE')} things: [Thing!]! ${of('TWO')} item: Item ${of('ONE')} any: Any ${of('ONE')}
    shape: Shape ${of('ONE')} shared: Shared ${of('ONE')} ${of('TWO')} ${of('THREE')}
  }
  type Mutation @join__type(graph: ONE) @join__type(graph: TWO) { make(n: Int): Thing ${of('ONE')} mend: Thing ${of('TWO')} }
  type Thing ${byId(['ONE', 'TWO', 'THREE'])} {
    id: ID! next: Thing ${of('ONE')} others: [Thing!] ${of('TWO')} item: Item ${of('ONE')}
    name(n: Int): String ${of('ONE')} ${of('TWO', ', external: true')} size(n: Int): Int ${of('TWO')} weight: Int ${of('THREE')}
    label(n: Int): String ${of('TWO', ', requires: "name(n: 7)"')} price: Int ${of('ONE', ', requires: "weight"')}
    given: Owner ${of('TWO', ', provides: "mail"')}
  }
  type Owner ${byId(['TWO', 'THREE'])} { id: ID! mail: String ${of('TWO', ', external: true')} ${of('THREE')} thing: Thing ${of('THREE')} }
  interface Item @join__type(graph: ONE) @join__type(graph: TWO) { id: ID! similar: Item ${of('ONE')} amount: Int ${of('TWO')} }
  ${['Bolt', 'Nut', 'Washer', 'Screw']
    .map((name, at) => {
      const similar = at === 0 ? of('ONE', ', requires: "amount"') : of('ONE');
      return `type ${name} implements Item @join__implements(graph: ONE, interface: "Item")
        @join__implements(graph: TWO, interface: "Item") ${byId(['ONE', 'TWO'])} {
          id: ID! similar: Item ${similar} amount: Int ${of('TWO')} ${at === 0 ? of('ONE', ', external: true') : ''} own${at}: Thing ${of('ONE')} }`;
    })
    .join('\n')}
  union Any ${['Thing', 'Bolt', 'Nut', 'Shared'].map((name) => `@join__unionMember(graph: ONE, member: "${name}")`).join(' ')}
    = Thing | Bolt | Nut | Shared
  interface Shape ${byId(['ONE'])} ${byId(['THREE'], ', isInterfaceObject: true')} { id: ID! area: Int ${of('THREE')} next: Shape ${of('ONE')} }
  ${['Circle', 'Square']
    .map((name) => {
      return `type ${name} implements Shape @join__implements(graph: ONE, interface: "Shape") ${byId(['ONE'])} {
        id: ID! area: Int @join__field next: Shape ${of('ONE')} side${name}: Int ${of('ONE')} }`;
    })
    .join('\n')}
  type Shared ${byId(['ONE', 'TWO', 'THREE'])} @join__type(graph: ONE, key: "thing { id }") {
    id: ID! both: Int thing: Thing ${of('ONE')} nested: Shared ${of('ONE')} ${of('TWO')}
    first: Int ${of('ONE')} second: Int ${of('TWO')} third: Int ${of('THREE')} }
`;

const level = (open: string, left: number, close: string): string =>
  left === 0 ? close : `${open} ${level(open, left - 1, close)} }`;
const aliases = (count: number, field: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `a${at}: ${field(at)}`).join(' ');

const OPERATIONS: readonly string[] = [
  `query ($n: Int = 3) { thing(n: $n) { id name(n: $n) size label weight price next { others { size item { amount } } } } }`,
  `{ things { ...T given { id mail thing { ...T } } next { ...T } } } fragment T on Thing { id weight ...N } fragment N on Thing { name size }`,
  `{ item ${level('{ similar', 3, '{ id amount }')} }`,
  `{ item { __typename amount ... on Bolt { own0 { weight } } ... on Nut { own1 { size(n: 1) } similar { id } } ... on Item { similar { amount } } } }`,
  `{ any { ... on Thing { price label } ... on Bolt { amount } ... on Nut { similar { id amount } } ... on Shared { first second third } } }`,
  `{ shape { area next { area ... on Circle { sideCircle next { area } } ... on Square { sideSquare } } } }`,
  `{ shared { both first second third nested { third second thing { label } nested { first both } } } }`,
  `mutation { ${aliases(3, (at) => `make(n: ${at}) { size label }`)} mend { weight } }`,
  `{ thing { ${aliases(20, (at) => `size(n: ${at}) b${at}: label(n: ${at}) c${at}: name(n: ${at})`)} } ${aliases(10, () => 'thing { id }')} }`,
  `query ($a: Boolean = true, $b: Boolean = false) { thing { size @include(if: $a) next @skip(if: $b) { label ... @include(if: $a) { weight } } } }`,
];
