import { describeProblem } from '../metadata/index.ts';
import type { Change } from './changes.ts';
import type { Report } from './report.ts';

/** A report for a terminal, a line each. */
export function printReport(report: Report): string {
  return [
    ...report.problems.map((problem) => `error: ${describeProblem(problem)}`),
    ...report.warnings.map((problem) => `warning: ${describeProblem(problem)}`),
    ...report.ignored.map((item) => `ignored: ${describeProblem({ ...item, message: item.what })}`),
    ...report.hints.map(({ source, message }) => `hint: ${source}: ${message}`),
    `sources: ${report.sources.map(sourceText).join(', ') || 'none'}`,
    ...Object.entries(report.roles).map(([role, fields]) => `role ${role}: ${fields.join(', ') || 'nothing'}`),
    `authentication fields: ${report.authenticationFields.join(', ') || 'none'}`,
    ...Object.entries(report.operations).map(([name, roles]) => `operation ${name}: ${roles.join(', ') || 'nobody'}`),
    ...Object.entries(report.persistedDocuments).map(([file, count]) => `persisted documents of ${file}: ${count}`),
    ...(report.changes ?? []).map(changeLine),
    ...(report.changes ? [`changes: ${report.changes.length}, ${breaking(report.changes)} of them breaking`] : []),
    report.valid ? 'the metadata is valid' : `the metadata is not valid: ${problemCount(report)}`,
  ].join('\n');
}

function sourceText({ name, kind, members }: Report['sources'][number]): string {
  return members ? `${name} (${kind} of ${members.join(', ')})` : `${name} (${kind})`;
}

function changeLine({ breaking, message, roles }: Change): string {
  return `${breaking ? 'breaking' : 'change'}${roles ? ` (${roles.join(', ')})` : ''}: ${message}`;
}

function breaking(changes: readonly Change[]): number {
  return changes.filter((change) => change.breaking).length;
}

function problemCount({ problems }: Report): string {
  return problems.length === 1 ? '1 problem' : `${problems.length} problems`;
}
