/** How the services of the measurement `many-services` describe themselves. */
export type ManyKind = 'federation' | 'plain' | 'stitching';

/** One of many services, which is as large as services become and joined with its neighbour. */
export interface ManyService {
  readonly kind: ManyKind;
  /** The number of the service, from 0 on. */
  readonly index: number;
  /** The number of services. */
  readonly services: number;
  /** The number of types of each service, without its root types. */
  readonly types: number;
  /** How often the service was changed. Each change adds a root field. */
  readonly revision: number;
}

/** One in this many types is of the given kind. The rest are the service's own objects. */
const SHARES = { entities: 10, neighbours: 20, interfaces: 40, unions: 100, enums: 20, inputs: 10 };
const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires", "@shareable"])\n';

/**
 * Returns the SDL of a service. It has entities with a key, and entities of the neighbour with its own field, every other one
 * of which requires a field of the neighbour's. It also has value types that all services share, interfaces, unions, enums,
 * inputs, and objects that refer to each other.
 */
export function manySdl(service: ManyService): string {
  const { kind, index, services, types } = service;
  const isFederated = kind === 'federation';
  const joins = kind !== 'plain';
  const count = (share: number) => Math.floor(types / share);
  const own = (name: string, number: number) => `S${index}${name}${number}`;
  const neighbour = (index + 1) % services;
  const parts: string[] = [];
  const entities = count(SHARES.entities);
  const shared = isFederated ? ' @shareable' : '';
  for (let i = 0; i < count(SHARES.enums); i++)
    parts.push(`enum ${own('Enum', i)} { ONE_${i} TWO_${i} THREE_${i} FOUR_${i} }`);
  for (let i = 0; i < count(SHARES.inputs); i++)
    parts.push(
      `input ${own('Input', i)} { name: String! count: Int = ${i} kind: ${own('Enum', i % count(SHARES.enums))} }`,
    );
  for (let i = 0; i < count(SHARES.interfaces); i++) parts.push(`interface ${own('Node', i)} { id: ID! name: String }`);
  for (let i = 0; i < entities; i++)
    parts.push(
      `"An entity of service ${index}"\ntype ${own('Entity', i)} implements ${own('Node', i % count(SHARES.interfaces))}${isFederated ? ' @key(fields: "id")' : ''} {
  id: ID!
  "What it is called"
  name: String
  weight: Int
  price: Money
  kind: ${own('Enum', i % count(SHARES.enums))}
  items(first: Int = 10, filter: ${own('Input', i % count(SHARES.inputs))}): [${own('Object', i)}!]
}`,
    );
  if (joins)
    for (let i = 0; i < count(SHARES.neighbours); i++) {
      const name = `S${neighbour}Entity${i}`;
      if (!isFederated) parts.push(`type ${name} { id: ID! note${index}_${i}: String }`);
      else if (i % 2 === 0) parts.push(`type ${name} @key(fields: "id") { id: ID! note${index}_${i}: String }`);
      else
        parts.push(
          `type ${name} @key(fields: "id") { id: ID! weight: Int @external note${index}_${i}: String @requires(fields: "weight") }`,
        );
    }
  for (let i = 0; i < count(SHARES.unions); i++)
    parts.push(`union ${own('Union', i)} = ${own('Object', i)} | ${own('Object', i + 1)} | ${own('Entity', i)}`);
  parts.push(`type Money${shared} { amount: Int! currency: String! }`);
  const objects = types - parts.length;
  for (let i = 0; i < objects; i++)
    parts.push(
      `type ${own('Object', i)} {
  id: ID!
  title: String!
  "When it was made, in ISO 8601"
  madeAt: String
  tags: [String!]!
  price: Money
  kind: ${own('Enum', i % count(SHARES.enums))}
  next: ${own('Object', (i + 1) % objects)}
  entity: ${own('Entity', i % entities)}
  other(id: ID!, kind: ${own('Enum', i % count(SHARES.enums))}): ${own('Union', i % count(SHARES.unions))}
  ${joins ? `far: S${neighbour}Entity${i % count(SHARES.neighbours)}` : `near: ${own('Node', i % count(SHARES.interfaces))}`}
}`,
    );
  const queries = [`  ${rootField({ index, revision: 0 })}: String`];
  for (let i = 0; i < entities; i++)
    queries.push(
      `  s${index}Entity${i}(id: ID!): ${own('Entity', i)}\n  s${index}Entities${i}(first: Int): [${own('Entity', i)}!]!`,
    );
  if (kind === 'stitching') {
    queries.push('  _sdl: String!');
    for (let i = 0; i < entities; i++) queries.push(merging(`S${index}Entity${i}`, `_s${index}e${i}`));
    for (let i = 0; i < count(SHARES.neighbours); i++)
      queries.push(merging(`S${neighbour}Entity${i}`, `_s${index}n${i}`));
  }
  for (let revision = 1; revision <= service.revision; revision++)
    queries.push(`  changed${index}_${revision}: String`);
  const mutations = Array.from(
    { length: count(SHARES.inputs) },
    (_, i) => `  s${index}Change${i}(input: ${own('Input', i)}!): ${own('Entity', i % entities)}`,
  );
  return `${isFederated ? LINK : ''}type Query {\n${queries.join('\n')}\n}\ntype Mutation {\n${mutations.join('\n')}\n}\n${parts.join('\n')}\n`;
}

function merging(type: string, field: string): string {
  return `  ${field}(ids: [ID!]!): [${type}]! @merge(keyField: "id")`;
}

/** Returns the root field that shows that the latest version of a service is in the graph. Its value is its own name. */
export function rootField({ index, revision }: Pick<ManyService, 'index' | 'revision'>): string {
  return revision === 0 ? `hello${index}` : `changed${index}_${revision}`;
}
