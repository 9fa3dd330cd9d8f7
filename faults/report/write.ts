import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../bench/package-dir.ts';

const FAULTS_PAGE = 'docs/resilience.md';

/** Puts `text` into the page of the results, in place of what is between the markers of `name`. @returns the file. */
export function writeFaultResults(name: 'faults' | 'soak' | 'jobs', text: string): string {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const file = join(PACKAGE_DIR, FAULTS_PAGE);
  const page = readFileSync(file, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${FAULTS_PAGE} has no ${begin} … ${end}`);
  writeFileSync(file, `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`);
  return file;
}
