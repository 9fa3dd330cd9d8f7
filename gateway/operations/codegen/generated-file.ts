import { readFileSync } from 'node:fs';
import { assetUrl } from '../../../platform/index.ts';

/** A file of generated code. */
export interface GeneratedFile {
  /** Without a folder. */
  readonly name: string;
  readonly text: string;
  /**
   * Who changes the file later. `--force` replaces files of the generator. Files of the developer are written once: they
   * contain the developer's code afterwards.
   */
  readonly owner: 'generator' | 'developer';
}

/**
 * Returns a file that is the same for all metadata.
 *
 * @param template the template's name, if it differs from the file's name.
 */
export function templateFile(name: string, template = name): GeneratedFile {
  const text = readFileSync(assetUrl(`gateway/operations/codegen/templates/${template}.txt`), 'utf8');
  return { name, text, owner: 'generator' };
}
