import { readFileSync } from 'node:fs';

export const README = readFileSync('README.md', 'utf8');

/** The blocks of a language below a heading, up to the next heading. In shell, a single # begins a comment of a block. */
export function readmeBlocks(heading: string, language = 'sh'): readonly string[] {
  const section = README.split(/^(?=#{2,} )/m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the README has no section "${heading}"`);
  return blocksIn(section, language);
}

/** The blocks of a language on another page. */
export function pageBlocks(path: string, language: string): readonly string[] {
  return blocksIn(readFileSync(path, 'utf8'), language);
}

function blocksIn(text: string, language: string): readonly string[] {
  const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(fences)].map(([, block = '']) => block);
}
