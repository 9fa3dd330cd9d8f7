import { readFileSync } from 'node:fs';

/**
 * The blocks of a language below a heading of a page, up to the next heading. In shell, a single # begins a comment of a block, so
 * that the page's title is no heading.
 */
export function sectionBlocks(path: string, heading: string, language = 'sh'): readonly string[] {
  const sections = readFileSync(path, 'utf8').split(/^(?=#{2,} )/m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${path} has no section "${heading}"`);
  return blocksIn(section, language);
}

/** The blocks of a language on a page. */
export function pageBlocks(path: string, language: string): readonly string[] {
  return blocksIn(readFileSync(path, 'utf8'), language);
}

function blocksIn(text: string, language: string): readonly string[] {
  const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(fences)].map(([, block = '']) => block);
}
