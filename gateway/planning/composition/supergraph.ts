import { setImmediate } from 'node:timers/promises';
import { type DocumentNode, type GraphQLSchema, Kind, parse, print, type TypeDefinitionNode } from 'graphql';
import { atOnce, inSlices, type Sliced } from '../../../platform/index.ts';
import { buildSchema } from '../../graphql/schemas/index.ts';
import {
  buildPublicSchema,
  overrideLabels,
  readSupergraphTypes,
  restoreExternal,
  type SupergraphTypes,
  typesOnDemand,
  widenFields,
} from '../supergraph/index.ts';
import { type Requirements, readRequirements } from './access.ts';
import type { ComposedSupergraph } from './compose.ts';
import { directivesOf } from './directives.ts';
import { UnusableSupergraph } from './errors.ts';
import { ownedCoordinates } from './owners.ts';
import { definitionsIn, parseDefinitions, type SdlDefinitions, sdlOf } from './sdl-definitions.ts';
import { withUsualNames } from './specifications.ts';
import { unsupportedInSupergraph } from './unsupported.ts';

/** A service that is part of a supergraph. */
export interface SupergraphSubgraph {
  readonly name: string;
  /** Its address in the supergraph. Empty if there is none. */
  readonly url: string;
}

/** A composed supergraph. */
export interface Supergraph {
  readonly sdl: string;
  /** The SDL as definitions, if the gateway composed the supergraph. */
  readonly definitions?: SdlDefinitions;
  /**
   * Parses the SDL, which takes 0.4 s for 6,000 types. The document is not cached because it takes fifty times the
   * text's memory.
   */
  readonly document: () => DocumentNode;
  /** The labels of its progressive overrides. */
  readonly labels: readonly string[];
  /** The schema that clients see. */
  readonly schema: GraphQLSchema;
  /** The schema as definitions, if the gateway composed the supergraph. */
  readonly schemaDefinitions?: SdlDefinitions;
  /** The model for planning and executing operations. */
  readonly types: SupergraphTypes;
  readonly requirements: Requirements;
  readonly subgraphs: readonly SupergraphSubgraph[];
  /** The names of the subgraphs, by their values of `enum join__Graph`. */
  readonly subgraphNames: ReadonlyMap<string, string>;
  /**
   * The schema coordinates that a subgraph resolves: `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`,
   * `Union|Member`. Elements that it only requires from others are not included.
   */
  coordinatesOf(subgraph: string): ReadonlySet<string>;
}

/**
 * Reads the SDL of a supergraph of the join specification 0.1 to 0.5.
 *
 * @throws UnusableSupergraph, or GraphQLError if it is not a valid schema.
 */
export async function readSupergraph(sdl: string): Promise<Supergraph> {
  const given = parse(sdl, { noLocation: true });
  const document = fromOthers(given);
  await setImmediate();
  if (joinedGraphs(document).size === 0)
    throw new UnusableSupergraph(['is not a composed supergraph: it has no enum join__Graph']);
  const schema = buildPublicSchema(document);
  await setImmediate();
  const text = document === given ? sdl : print(document);
  const types = readSupergraphTypes(document);
  await setImmediate();
  const requirements = readRequirements(document, schema);
  await setImmediate();
  const graphs = joinedGraphs(document);
  const owners = await inSlices(ownersIn(document, graphs));
  return describeSupergraph({
    sdl: text,
    schema,
    types,
    requirements,
    labels: overrideLabels(document),
    graphs,
    owners,
  });
}

/** Matches authorization directives, which are rare. Reading them needs the whole document. */
const AUTHORIZATION_DIRECTIVES = /@authenticated|@requiresScopes|@policy/;

/** Matches a label at a field. The definition of the directive (`overrideLabel: String`) does not match. */
const OVERRIDE_LABEL_ARGUMENT = /overrideLabel: "/;

/** Whether fields of a composed supergraph have labels of progressive overrides. */
export function hasOverrideLabels(supergraph: SdlDefinitions): boolean {
  return supergraph.some((definition) => OVERRIDE_LABEL_ARGUMENT.test(definition));
}

/**
 * Reads a supergraph that this gateway has composed, in slices between requests. A document of the whole supergraph
 * would take fifty times the memory of the text. Definitions are therefore only read when an operation needs them, if
 * possible.
 *
 * @param needsOwners whether `coordinatesOf` is needed soon. If false, its first call takes some time.
 */
export async function readComposed(
  { supergraph, outline, publicSchema }: ComposedSupergraph,
  needsOwners: boolean,
): Promise<Supergraph> {
  const schema = await inSlices(buildSchema(await parseDefinitions(publicSchema)));
  await setImmediate();
  const sdl = sdlOf(supergraph);
  const graphs = joinedGraphs({
    kind: Kind.DOCUMENT,
    definitions: [...definitionsIn(supergraph.filter((definition) => definition.includes('enum join__Graph')))],
  });
  const types = typesOnDemand(supergraph, outline, subgraphNamesOf(graphs));
  const isWholeNeeded =
    needsOwners ||
    hasOverrideLabels(supergraph) ||
    supergraph.some((definition) => AUTHORIZATION_DIRECTIVES.test(definition));
  const whole = isWholeNeeded ? await parseDefinitions(supergraph) : undefined;
  const owners = whole && needsOwners ? await inSlices(ownersIn(whole, graphs)) : undefined;
  const requirements: Requirements = whole ? readRequirements(whole, schema) : new Map();
  const labels = whole ? overrideLabels(whole) : [];
  return {
    ...describeSupergraph({ sdl, schema, types, requirements, labels, graphs, owners }),
    definitions: supergraph,
    schemaDefinitions: publicSchema,
  };
}

type SubgraphsByValue = ReadonlyMap<string, SupergraphSubgraph>;

function describeSupergraph(
  read: Pick<Supergraph, 'sdl' | 'schema' | 'types' | 'requirements' | 'labels'> & {
    readonly graphs: SubgraphsByValue;
    readonly owners: Owners | undefined;
  },
): Supergraph {
  const { graphs, owners: known, ...described } = read;
  const document = () => parse(described.sdl, { noLocation: true });
  let owners = known;
  const byName = new Map([...graphs].map(([value, { name }]) => [name, value]));
  return {
    ...described,
    document,
    subgraphs: [...graphs.values()],
    subgraphNames: subgraphNamesOf(graphs),
    coordinatesOf: (subgraph) => {
      owners ??= atOnce(ownersIn(document(), graphs));
      return owners.get(byName.get(subgraph) ?? '') ?? new Set();
    },
  };
}

type Owners = ReadonlyMap<string, ReadonlySet<string>>;

function ownersIn(document: DocumentNode, graphs: SubgraphsByValue): Sliced<Owners> {
  const joined = document.definitions.filter((one): one is TypeDefinitionNode => 'name' in one && isJoined(one));
  return ownedCoordinates(joined, [...graphs.keys()]);
}

function subgraphNamesOf(graphs: SubgraphsByValue): ReadonlyMap<string, string> {
  return new Map([...graphs].map(([value, { name }]) => [value, name]));
}

/** Prepares a supergraph that another tool has composed. */
function fromOthers(given: DocumentNode): DocumentNode {
  const named = withUsualNames(given);
  const unsupported = unsupportedInSupergraph(named);
  if (unsupported.length > 0) throw new UnusableSupergraph(unsupported);
  return widenFields(restoreExternal(named));
}

/** The values of `enum join__Graph` and their subgraphs. */
function joinedGraphs(document: DocumentNode): ReadonlyMap<string, SupergraphSubgraph> {
  const graphs = new Map<string, SupergraphSubgraph>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph')
      for (const value of definition.values ?? []) {
        const { name, url } = directivesOf(value, 'join__graph')[0] ?? {};
        graphs.set(value.name.value, { name: text(name) ?? value.name.value, url: text(url) ?? '' });
      }
  return graphs;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether a type belongs to the graph and not to a specification. */
function isJoined({ kind, name }: { kind: string; name?: { value: string } | undefined }): boolean {
  return kind.endsWith('TypeDefinition') && !/^(join|link|core|federation|context)__/.test(name?.value ?? '');
}
