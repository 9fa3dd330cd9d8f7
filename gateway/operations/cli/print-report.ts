import { describeProblem, foldIgnored } from '../../metadata/index.ts';
import { ANY_OTHER_ROLE, type Change, type Report, usageText, type WeighedChange } from '../check/index.ts';
import type { HasuraComparison } from './hasura/compare-with-hasura.ts';

/** The result of `portico check`. */
export interface CheckReport extends Report {
  /** The differences from a running Hasura server. Absent if none was named. */
  readonly hasura?: HasuraComparison;
}

/** Formats a report for a terminal, with one item on each line. */
export function printReport(report: CheckReport): string {
  return [
    ...report.problems.map((problem) => `error: ${describeProblem(problem)}`),
    ...report.warnings.map((problem) => `warning: ${describeProblem(problem)}`),
    ...foldIgnored(report.ignored).map((item) => `ignored: ${describeProblem({ ...item, message: item.what })}`),
    ...report.hints.map(({ source, message }) => `hint: ${source}: ${message}`),
    `sources: ${report.sources.map(sourceText).join(', ') || 'none'}`,
    ...Object.entries(report.roles).map(([role, fields]) => `${roleText(role)}: ${fields.join(', ') || 'nothing'}`),
    ...conditionLines(report),
    `authentication fields: ${report.authenticationFields.join(', ') || 'none'}`,
    ...Object.entries(report.operations).map(([name, roles]) => `operation ${name}: ${roles.join(', ') || 'no role'}`),
    ...Object.entries(report.persistedDocuments).map(([file, count]) => `persisted documents of ${file}: ${count}`),
    ...(report.changes ?? []).map(changeLine),
    ...(report.changes ? [changesLine(report.changes)] : []),
    ...(report.hasura ? [...hasuraLines(report.hasura), ...extensionLines(report)] : []),
    report.valid ? 'the metadata is valid' : `the metadata is not valid: ${problemCount(report)}`,
  ].join('\n');
}

function hasuraLines({ endpoint, roles, differences, extensions = [] }: HasuraComparison): readonly string[] {
  return [
    `compared with ${endpoint}, for clients that migrate from it:`,
    ...roles.map(({ role, differences: count, tables, tableFields }) => {
      const what = count === 0 ? 'no differences' : `${count} ${count === 1 ? 'difference' : 'differences'}`;
      if (tables.length === 0 && tableFields === 0) return `hasura role ${role}: ${what}`;
      const more = tables.length > NAMED_TABLES ? `, and ${tables.length - NAMED_TABLES} more` : '';
      const named = tables.slice(0, NAMED_TABLES).join(', ');
      return `hasura role ${role}: ${what}; not compared: ${tableFields} fields of ${tables.length} database tables (${named}${more})`;
    }),
    ...differences.map(changeLine),
    ...extensions.map((extension) => `extension: ${extension}`),
    `differences: ${differences.length}, ${breaking(differences)} of them breaking`,
  ];
}

function conditionLines({ conditionalFields, conditionalEndpoints: endpoints }: CheckReport): readonly string[] {
  return [
    ...Object.entries(conditionalFields).map(
      ([role, fields]) => `session conditions of role ${role}: ${fields.join(', ')}`,
    ),
    ...(endpoints.length > 0 ? [`session conditions of REST endpoints: ${endpoints.join(', ')}`] : []),
  ];
}

/** Names metadata that Hasura ignores, although it restricts what clients may do. */
function extensionLines(report: CheckReport): readonly string[] {
  return conditionLines(report).map((line) => `extension: ${line}; Hasura does not check them`);
}

/** The most tables that a line names. */
const NAMED_TABLES = 10;

/** The role `*` stands for those that the metadata does not name. */
function roleText(role: string): string {
  return role === ANY_OTHER_ROLE ? 'role * (any other role in a token)' : `role ${role}`;
}

function sourceText({ name, kind, members }: Report['sources'][number]): string {
  return members ? `${name} (${kind} of ${members.join(', ')})` : `${name} (${kind})`;
}

function changeLine({ breaking, message, roles, usage, allowed }: WeighedChange): string {
  const kind = allowed ? 'allowed' : breaking ? 'breaking' : 'change';
  return `${kind}${roles ? ` (${roles.join(', ')})` : ''}: ${message}${usage ? `; ${usageText(usage)}` : ''}`;
}

function changesLine(changes: readonly WeighedChange[]): string {
  const allowed = changes.filter((change) => change.allowed).length;
  const unused = allowed > 0 ? `, ${allowed} of them allowed because they are unused` : '';
  return `changes: ${changes.length}, ${breaking(changes)} of them breaking${unused}`;
}

function breaking(changes: readonly Change[]): number {
  return changes.filter((change) => change.breaking).length;
}

function problemCount({ problems }: CheckReport): string {
  return problems.length === 1 ? '1 problem' : `${problems.length} problems`;
}
