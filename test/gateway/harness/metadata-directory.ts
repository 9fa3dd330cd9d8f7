import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';

export interface MetadataDirectory {
  readonly path: string;
  /** Writes files, in folders too: text as it is, everything else as YAML. Undefined takes a file away. */
  write(files: Readonly<Record<string, unknown>>): void;
  close(): void;
}

/** A metadata directory that can be edited; its `version.yaml` need not be given. */
export function metadataDirectory(files: Readonly<Record<string, unknown>> = {}): MetadataDirectory {
  const path = mkdtempSync(join(tmpdir(), 'portico-metadata-'));
  const write = (changed: Readonly<Record<string, unknown>>) => {
    for (const [name, content] of Object.entries(changed)) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      if (content === undefined) rmSync(file, { recursive: true, force: true });
      else writeFileSync(file, typeof content === 'string' ? content : stringify(content));
    }
  };
  write({ 'version.yaml': { version: 3 }, ...files });
  return { path, write, close: () => rmSync(path, { recursive: true, force: true }) };
}
