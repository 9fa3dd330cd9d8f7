import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
} from 'graphql';
import { inSlices } from '../../platform/index.ts';
import {
  buildPublicSchema,
  overrideLabels,
  readTypes,
  restoreExternal,
  type SupergraphTypes,
  widenFields,
} from '../federation/index.ts';
import { buildSchema } from '../schemas/index.ts';
import { type Requirements, readRequirements } from './access.ts';
import { directivesOf } from './directives.ts';
import { ownedCoordinates } from './owners.ts';
import { type Pieces, parsePieces, sdlOf } from './pieces.ts';
import { withUsualNames } from './specifications.ts';
import { unsupportedInSupergraph } from './unsupported.ts';

/** A service that a supergraph is composed of. */
export interface SupergraphSubgraph {
  readonly name: string;
  /** Where the supergraph says that it is; empty when it does not. */
  readonly url: string;
}

/** What a composed supergraph says. */
export interface Supergraph {
  readonly sdl: string;
  /** The same in pieces of some definitions each, where it was composed here. */
  readonly pieces?: readonly string[];
  /** Parses it, which takes 0.4 s for 6,000 types. It is not kept: it takes fifty times the memory of the text. */
  readonly document: () => DocumentNode;
  /** The labels of its progressive overrides. */
  readonly labels: readonly string[];
  /** What clients see. */
  readonly schema: GraphQLSchema;
  /** The same as SDL, where it was composed here. */
  readonly schemaSdl?: string;
  /** What running plans needs to know of it. */
  readonly types: SupergraphTypes;
  readonly requirements: Requirements;
  readonly subgraphs: readonly SupergraphSubgraph[];
  /** The names of the subgraphs by the values that stand for them in the supergraph. */
  readonly subgraphNames: ReadonlyMap<string, string>;
  /**
   * What a subgraph answers for, as coordinates: `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`,
   * `Union|Member`. What it only needs from others is not among them.
   */
  coordinatesOf(subgraph: string): ReadonlySet<string>;
}

/**
 * Reads the SDL of a supergraph, of the join specification 0.1 to 0.5.
 *
 * @throws GraphQLError or Error when it is none.
 */
export async function readSupergraph(sdl: string): Promise<Supergraph> {
  const given = parse(sdl, { noLocation: true });
  const document = fromOthers(given);
  await setImmediate();
  if (joinedGraphs(document).size === 0) throw new Error('is no composed supergraph: it has no enum join__Graph');
  const schema = buildPublicSchema(document);
  await setImmediate();
  return describe(document === given ? sdl : print(document), document, schema);
}

/** Reads what has been composed here. Operations go on meanwhile. */
export async function readComposed(supergraph: Pieces, publicSchema: Pieces): Promise<Supergraph> {
  const document = await parsePieces(supergraph);
  const schema = await inSlices(buildSchema(await parsePieces(publicSchema)));
  await setImmediate();
  return {
    ...(await describe(sdlOf(supergraph), document, schema)),
    pieces: supergraph,
    schemaSdl: sdlOf(publicSchema),
  };
}

async function describe(sdl: string, document: DocumentNode, schema: GraphQLSchema): Promise<Supergraph> {
  const graphs = joinedGraphs(document);
  const joined = document.definitions.filter((one): one is TypeDefinitionNode => 'name' in one && isJoined(one));
  const types = await inSlices(readTypes(document));
  await setImmediate();
  const requirements = readRequirements(document, schema);
  await setImmediate();
  const byName = new Map([...graphs].map(([value, { name }]) => [name, value]));
  const owned = await inSlices(ownedCoordinates(joined, [...graphs.keys()]));
  return {
    sdl,
    document: () => parse(sdl, { noLocation: true }),
    labels: overrideLabels(document),
    schema,
    types,
    requirements,
    subgraphs: [...graphs.values()],
    subgraphNames: new Map([...graphs].map(([value, { name }]) => [value, name])),
    coordinatesOf: (subgraph) => owned.get(byName.get(subgraph) ?? '') ?? new Set(),
  };
}

/** A supergraph that others have composed. */
function fromOthers(given: DocumentNode): DocumentNode {
  const named = withUsualNames(given);
  const unsupported = unsupportedInSupergraph(named);
  if (unsupported.length > 0) throw new GraphQLError(unsupported.join('\n\n'));
  return widenFields(restoreExternal(named));
}

/** The values of `enum join__Graph` and the subgraphs that they stand for. */
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

/** Types of the specifications that a supergraph uses are none of the graph's. */
function isJoined({ kind, name }: { kind: string; name?: { value: string } | undefined }): boolean {
  return kind.endsWith('TypeDefinition') && !/^(join|link|core|federation|context)__/.test(name?.value ?? '');
}
