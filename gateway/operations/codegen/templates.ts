import { readFileSync } from 'node:fs';
import { assetUrl } from '../../../platform/index.ts';
import type { GeneratedFile } from './generated-file.ts';

/**
 * Returns a file that is the same for all metadata.
 *
 * @param template the template's name, if it differs from the file's name.
 */
export function templateFile(name: string, template = name): GeneratedFile {
  const text = readFileSync(assetUrl(`gateway/operations/codegen/templates/${template}.txt`), 'utf8');
  return { name, text, owner: 'generator' };
}
