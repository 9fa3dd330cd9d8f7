import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../package-dir.ts';
import { picture } from './picture.ts';
import type { Results } from './results.ts';
import { resultsText } from './text.ts';

const BEGIN_MARKER = '<!-- bench:begin -->';
const END_MARKER = '<!-- bench:end -->';

/**
 * Writes the results as JSON, Markdown and a picture. Those of a full run are written as `latest`, which is published and also
 * inserted into docs/performance.md. All others are written as `local`, which git ignores. Returns the files.
 */
export function writeBenchResults(results: Results, full: boolean): string[] {
  const directory = join(PACKAGE_DIR, 'bench/results');
  mkdirSync(directory, { recursive: true });
  const text = resultsText(results);
  const written: string[] = [];
  const write = (file: string, content: string) => {
    writeFileSync(file, content);
    written.push(file);
  };
  const name = full ? 'latest' : 'local';
  write(join(directory, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
  write(join(directory, `${name}.md`), text);
  if (results.rows.length > 0) write(join(directory, `${name}.svg`), picture(results));
  const page = join(PACKAGE_DIR, 'docs/performance.md');
  if (full && existsSync(page)) write(page, putBetweenMarkers(readFileSync(page, 'utf8'), text));
  return written;
}

/** Returns `page` with `text` between its markers. @throws Error if the page has no markers. */
export function putBetweenMarkers(page: string, text: string): string {
  const from = page.indexOf(BEGIN_MARKER);
  const to = page.indexOf(END_MARKER);
  if (from < 0 || to < from) throw new Error(`the page has no ${BEGIN_MARKER} … ${END_MARKER}`);
  return `${page.slice(0, from + BEGIN_MARKER.length)}\n\n${text}\n${page.slice(to)}`;
}
