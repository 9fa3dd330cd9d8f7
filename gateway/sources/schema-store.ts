import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, type Logger, makeDirectory } from '../../platform/index.ts';
import { readSchemaFile, type StoredSchema, schemaFileName, schemaFileText } from './stored-schema.ts';

/** The maximum size of a file that is read. */
const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;

/** Stores the last known schema of each remote schema. Methods never throw; they log failures. */
export interface SchemaStore {
  /** Reads the stored schema of `source` if it has this fingerprint. Returns undefined if there is no usable schema. */
  read(source: string, fingerprint: string): Promise<StoredSchema | undefined>;
  /** Replaces the stored schema of `source`. */
  write(source: string, schema: StoredSchema): Promise<void>;
}

/**
 * Opens a store that keeps schemas in a directory, with one file per remote schema. Files have the format that `portico
 * check --record` writes.
 *
 * Several processes may share the directory. A file is only replaced if its content changes, and always as a whole.
 * Other files in the directory are left alone, and the directory is never listed.
 */
export function openSchemaStore(directory: string, log: Logger): SchemaStore {
  let hasWarned = false;

  async function stored(source: string): Promise<string | undefined> {
    try {
      return await readSchemaText(join(directory, schemaFileName(source)));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT')
        log.warn(
          { event: 'stored_schema.ignored', source, reason: fileErrorReason(error) },
          'unreadable stored schema ignored',
        );
      return undefined;
    }
  }

  async function store(source: string, text: string): Promise<void> {
    await makeDirectory(directory, 0o700);
    const file = join(directory, schemaFileName(source));
    // Each process writes its own temporary file.
    const unfinished = join(directory, `.${randomUUID()}.tmp`);
    try {
      const handle = await open(unfinished, 'wx', 0o600);
      try {
        await handle.writeFile(text);
        // Without this, a crash of the machine could leave an empty file under the new name.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, file);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  return {
    read: async (source, fingerprint) => {
      const text = await stored(source);
      if (text === undefined) return undefined;
      const schema = readSchemaFile(text);
      if (schema.fingerprint === fingerprint) return schema;
      const reason =
        schema.fingerprint === undefined
          ? 'it does not say which description it belongs to'
          : 'it belongs to another description of the source';
      log.warn({ event: 'stored_schema.ignored', source, reason }, 'stored schema ignored');
      return undefined;
    },
    write: async (source, schema) => {
      const text = schemaFileText(schema);
      if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return;
      try {
        if ((await readSchemaText(join(directory, schemaFileName(source))).catch(() => undefined)) === text) return;
        await store(source, text);
      } catch (error) {
        if (hasWarned) return;
        hasWarned = true;
        log.warn(
          { event: 'stored_schema.write_failed', directory, reason: fileErrorReason(error) },
          'could not store schemas; a gateway that starts while a service is unavailable will lack its fields',
        );
      }
    },
  };
}

/** Reads a regular file. Pipes and devices are rejected because reading them might never begin or end. */
async function readSchemaText(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > MAX_SCHEMA_BYTES) throw new Error('it is too long');
    return new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** The reason of a failed read. Messages of system errors name paths, but never the content of files. */
function fileErrorReason(error: unknown): string {
  return errorCode(error) ?? (error as Error).message;
}
