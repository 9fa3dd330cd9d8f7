import { setImmediate } from 'node:timers/promises';
import type { RemoteSchemaMetadata } from '../../metadata/index.ts';
import {
  ComposerStopped,
  type CompositionProblem,
  composeSubgraphs,
  labelsIn,
  readComposed,
  type Supergraph,
} from '../../planning/composition/index.ts';
import type { Availability } from '../../upstream/index.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { boundedProblems } from '../service-text.ts';
import { CompositionInterrupted, type Source, SourceError, type SourceProblem } from '../source.ts';
import { federatedSource } from './federated-source.ts';
import { groupCustomization } from './federation-customization.ts';
import { groupOverrides } from './federation-overrides.ts';
import { federatedPermissions } from './federation-permissions.ts';

/** The name of the source that all composed subgraphs form. */
const FEDERATION = 'federation';

/** A remote schema that is a subgraph of Apollo Federation. */
export interface Subgraph {
  readonly name: string;
  readonly sdl: string;
  readonly target: RemoteTarget;
  readonly metadata: RemoteSchemaMetadata;
  readonly availability: Availability;
}

/** The result of composing subgraphs. */
export interface FederationGroup {
  /** Undefined if no subgraph is left to compose. */
  readonly source: Source | undefined;
  /** Subgraphs that cannot be composed with the others, and the reasons. */
  readonly left: ReadonlyMap<string, readonly SourceProblem[]>;
}

type SubgraphProblems = ReadonlyMap<string, readonly SourceProblem[]>;

/**
 * Composes subgraphs into one source. While composition fails, the last subgraph that the errors name is left out. The
 * order is that of the metadata, so the result does not depend on which subgraph responds first.
 *
 * @throws CompositionInterrupted
 */
export async function openFederationGroup(
  subgraphs: readonly Subgraph[],
  publicRole: string,
): Promise<FederationGroup> {
  const left = new Map<string, readonly SourceProblem[]>();
  for (let members = subgraphs; members.length > 0; members = members.filter(({ name }) => !left.has(name))) {
    const opened = await openMembers(members, publicRole).catch(async (error: Error) => {
      if (isStopped(error)) throw new CompositionInterrupted(error);
      // An unexpected failure of one subgraph must not remove the others.
      const message = `it cannot be composed: ${error.message}`;
      return { problems: new Map([[await unforeseen(members, publicRole), [{ message }]]]) };
    });
    if ('source' in opened) return { source: opened.source, left };
    for (const [name, problems] of opened.problems) left.set(name, boundedProblems(problems));
  }
  return { source: undefined, left };
}

type OpenedGroup = { readonly source: Source } | { readonly problems: SubgraphProblems };

async function openMembers(members: readonly Subgraph[], publicRole: string): Promise<OpenedGroup> {
  const composition = await composeSubgraphs(members);
  if ('problems' in composition) {
    const out = blamed(members, composition.problems);
    return { problems: new Map([[out, describedFor(out, composition.problems)]]) };
  }
  await setImmediate();
  return openComposed(members, await readComposed(composition, arePermitted(members)), publicRole);
}

/** Whether some roles see only a part of the graph. If so, the subgraph of each element has to be known. */
function arePermitted(members: readonly Subgraph[]): boolean {
  return members.some(({ metadata }) => metadata.permissions !== undefined);
}

/** The last subgraph that fails to compose even on its own. */
async function unforeseen(members: readonly Subgraph[], publicRole: string): Promise<string> {
  let found = members.at(-1)?.name ?? '';
  if (members.length === 1) return found;
  for (const member of members)
    await openMembers([member], publicRole).catch((error: Error) => {
      if (isStopped(error)) throw new CompositionInterrupted(error);
      found = member.name;
    });
  return found;
}

function isStopped(error: unknown): boolean {
  return error instanceof ComposerStopped;
}

async function openComposed(
  subgraphs: readonly Subgraph[],
  supergraph: Supergraph,
  publicRole: string,
): Promise<OpenedGroup> {
  const members = subgraphs.map(({ name, metadata }) => ({
    name,
    permissions: metadata.permissions,
    customization: metadata.definition.customization,
    get coordinates() {
      return supergraph.coordinatesOf(name);
    },
  }));
  const permissions = await federatedPermissions(members, supergraph.schema, publicRole);
  if ('problems' in permissions) return permissions;
  const names = groupCustomization(members);
  if ('problems' in names) return names;
  const overrides = groupOverrides(
    subgraphs.map(({ name, sdl, metadata: { definition } }) => ({
      name,
      labels: labelsIn(sdl),
      settings: definition.override_labels,
    })),
  );
  if ('problems' in overrides) return overrides;
  await setImmediate();
  try {
    return {
      source: federatedSource({
        name: FEDERATION,
        members: subgraphs.map(({ name }) => name),
        supergraph,
        targets: new Map(subgraphs.map(({ name, target }) => [name, target])),
        permissions,
        customization: names.customization,
        overrides: overrides.settings,
        publicRole,
        sdl: new Map(subgraphs.map(({ name, sdl }) => [name, sdl])),
      }),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const renaming = members.findLast(({ customization }) => customization) ?? members.at(-1);
    return { problems: new Map([[renaming?.name ?? '', error.problems]]) };
  }
}

/** The last subgraph that the problems name. Subgraphs opened from a stored schema are blamed first. */
function blamed(members: readonly Subgraph[], problems: readonly CompositionProblem[]): string {
  const named = new Set(problems.flatMap(({ subgraphs }) => subgraphs));
  const about = members.filter(({ name }) => named.has(name));
  const last = about.findLast(({ availability }) => !availability.isAvailable) ?? about.at(-1) ?? members.at(-1);
  return last?.name ?? '';
}

function describedFor(subgraph: string, problems: readonly CompositionProblem[]): readonly SourceProblem[] {
  const own = problems.filter(({ subgraphs }) => subgraphs.length === 0 || subgraphs.includes(subgraph));
  return own.map(({ code, message, places }) => {
    const where = places.map((place) => `line ${place.line} of the SDL of "${place.subgraph}"`).join(', ');
    return { message: `it cannot be composed: ${code}: ${message}${where && ` (${where})`}` };
  });
}
