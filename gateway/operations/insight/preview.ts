import { DAY_MS } from '../../../platform/index.ts';
import { ADMIN_ROLE } from '../../access/session/index.ts';
import { compareInSlices, type Generation, type LiveGraph, type MetadataReloader } from '../../graph/index.ts';
import { printSchema } from '../../graphql/schemas/index.ts';
import { type Metadata, MetadataError, type MetadataProblem } from '../../metadata/index.ts';
import { changesBetween, checkedRoles, type WeighedChange, weighAside } from '../check/index.ts';
import { type Bounded, bounded, MAX_PROBLEMS } from './page.ts';

const MAX_PREVIEWED_CHANGES = 500;
/** The most affected roles that a change names. */
const MAX_PREVIEWED_ROLES = 50;
/** The most clients that are named for a removed element. */
const MAX_USERS = 10;

export interface PreviewOptions {
  readonly graph: Pick<LiveGraph, 'current'>;
  readonly reloads: Pick<MetadataReloader, 'preview'>;
  readonly publicRole: string;
  /** The directory with recorded usage. Undefined if usage is not recorded. */
  readonly usageDirectory: string | undefined;
}

/** The consequences of activating the metadata on disk. */
export interface ChangePreview {
  /** Whether the metadata on disk differs from the active metadata. */
  readonly pending: boolean;
  /** Whether the metadata would be activated. If not, the active metadata would stay, because of these problems. */
  readonly valid: boolean;
  readonly problems: Bounded<MetadataProblem>;
  /** Remote schemas that would be missing from the graph because they do not respond. */
  readonly missing: Bounded<{ readonly name: string; readonly reason: string }>;
  /** The changes for clients, breaking ones first, with the first affected roles. */
  readonly changes: Bounded<PreviewedChange>;
  readonly breaking: number;
  /** The number of days of usage that breaking changes were checked against. Null if usage is not recorded. */
  readonly usage_days: number | null;
}

/** `roles_omitted` is the number of affected roles that are not named. */
export type PreviewedChange = WeighedChange & { readonly roles_omitted?: number };

/** Checks the metadata on disk without activating it. */
export async function previewChanges(options: PreviewOptions, usageDays: number): Promise<ChangePreview> {
  const { graph, reloads, usageDirectory } = options;
  try {
    return await reloads.preview(async ({ metadata, next, problems }) => {
      const { current } = graph;
      const changes = await weighedChanges(current, next, options, usageDays);
      return {
        pending: metadataFingerprint(metadata) !== metadataFingerprint(current.metadata),
        valid: problems.length === 0,
        problems: bounded(problems, MAX_PROBLEMS),
        missing: bounded(
          next.missing.map(({ source: name, reason }) => ({ name, reason })),
          MAX_PROBLEMS,
        ),
        changes: bounded(changes.map(previewedChange), MAX_PREVIEWED_CHANGES),
        breaking: changes.filter(({ breaking }) => breaking).length,
        usage_days: usageDirectory === undefined ? null : usageDays,
      };
    });
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    return {
      pending: true,
      valid: false,
      problems: bounded(error.problems, MAX_PROBLEMS),
      missing: bounded([], 0),
      changes: bounded([], 0),
      breaking: 0,
      usage_days: null,
    };
  }
}

async function weighedChanges(
  before: Generation,
  after: Generation,
  { publicRole, usageDirectory }: PreviewOptions,
  usageDays: number,
): Promise<readonly WeighedChange[]> {
  const changes = await changesBetween(before, after, publicRole, (one, other) => compareInSlices(one, other));
  const whole = before.graphIfValid(ADMIN_ROLE);
  if (usageDirectory === undefined || !whole || !changes.some(({ breaking }) => breaking))
    return changes.map(({ coordinate: _, ...change }) => change);
  const now = Date.now();
  return weighAside({
    changes,
    sdl: printSchema(whole.schema),
    roles: checkedRoles([before.metadata, after.metadata], publicRole),
    directory: usageDirectory,
    since: now - usageDays * DAY_MS,
    now,
  });
}

function previewedChange(change: WeighedChange): PreviewedChange {
  const { usage, roles } = change;
  const omitted = (roles?.length ?? 0) - MAX_PREVIEWED_ROLES;
  return {
    ...change,
    ...(roles && omitted > 0 && { roles: roles.slice(0, MAX_PREVIEWED_ROLES), roles_omitted: omitted }),
    ...(usage && { usage: { ...usage, by: usage.by.slice(0, MAX_USERS) } }),
  };
}

/** Returns a fingerprint of everything in files that the graph depends on. */
function metadataFingerprint({ asWritten, actionsSdl, remoteSchemas, persistedManifests }: Metadata): string {
  return JSON.stringify([asWritten, actionsSdl, remoteSchemas, persistedManifests]);
}
