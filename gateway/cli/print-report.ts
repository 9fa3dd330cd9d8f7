import { describeProblem } from '../metadata/index.ts';
import type { Report } from './report.ts';

/** A report for a terminal, a line each. */
export function printReport(report: Report): string {
  return [
    ...report.problems.map((problem) => `error: ${describeProblem(problem)}`),
    ...report.ignored.map((item) => `ignored: ${describeProblem({ ...item, message: item.what })}`),
    `sources: ${report.sources.map(({ name, kind }) => `${name} (${kind})`).join(', ') || 'none'}`,
    ...Object.entries(report.roles).map(([role, fields]) => `role ${role}: ${fields.join(', ') || 'nothing'}`),
    ...Object.entries(report.operations).map(([name, roles]) => `operation ${name}: ${roles.join(', ') || 'nobody'}`),
    ...Object.entries(report.changes ?? {}).flatMap(([role, changes]) =>
      changes.map(({ breaking, message }) => `${breaking ? 'breaking' : 'change'} (role ${role}): ${message}`),
    ),
    report.valid ? 'the metadata is valid' : `the metadata is not valid: ${report.problems.length} problems`,
  ].join('\n');
}
