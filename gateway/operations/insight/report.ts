import { inSlices } from '../../../platform/index.ts';
import type { LiveGraph, MetadataReloads } from '../../graph/index.ts';
import { MetadataError, type MetadataProblem } from '../../metadata/index.ts';
import { type Report, type ReportOptions, reportOn } from '../check/index.ts';
import { type Bounded, bounded } from './page.ts';

const MAX_LINES = 500;
const MAX_LISTED_FIELDS = 200;
const MAX_LISTED_ROLES = 200;

/** The report of `portico check` on the active metadata, and the reasons why the metadata on disk is not active. */
export interface BoundedReport {
  readonly valid: boolean;
  readonly problems: Bounded<MetadataProblem>;
  /** The problems of the metadata on disk if the last reload failed. */
  readonly reload_problems: Bounded<MetadataProblem>;
  readonly warnings: Bounded<MetadataProblem>;
  readonly ignored: Bounded<Report['ignored'][number]>;
  readonly hints: Bounded<Report['hints'][number]>;
  readonly sources: Bounded<Report['sources'][number]>;
  /** Root fields by role, such as `query orders`. */
  readonly roles: Bounded<{ readonly role: string; readonly fields: Bounded<string> }>;
  readonly authentication_fields: readonly string[];
  /** The roles that may run each saved operation, by `collection/operation`. */
  readonly operations: Bounded<{ readonly operation: string; readonly roles: Bounded<string> }>;
}

export async function reportNow(
  graph: Pick<LiveGraph, 'current' | 'problems'>,
  reloads: Pick<MetadataReloads, 'failure'>,
  options: ReportOptions,
): Promise<BoundedReport> {
  const { current, problems } = graph;
  const report = await inSlices(reportOn(current, options, problems));
  return {
    valid: report.valid,
    problems: bounded(report.problems, MAX_LINES),
    reload_problems: bounded(problemsOf(reloads.failure), MAX_LINES),
    warnings: bounded(report.warnings, MAX_LINES),
    ignored: bounded(report.ignored, MAX_LINES),
    hints: bounded(report.hints, MAX_LINES),
    sources: bounded(report.sources, MAX_LINES),
    roles: bounded(
      Object.entries(report.roles).map(([role, fields]) => ({ role, fields: bounded(fields, MAX_LISTED_FIELDS) })),
      MAX_LISTED_ROLES,
    ),
    authentication_fields: report.authenticationFields,
    operations: bounded(
      Object.entries(report.operations).map(([operation, roles]) => ({
        operation,
        roles: bounded(roles, MAX_LISTED_ROLES),
      })),
      MAX_LINES,
    ),
  };
}

/** The log contains the cause of an unexpected failure. */
export function problemsOf(failure: Error | undefined): readonly MetadataProblem[] {
  if (!failure) return [];
  return failure instanceof MetadataError ? failure.problems : [{ file: 'metadata', message: 'internal error' }];
}
