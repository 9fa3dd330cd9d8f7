import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindSqlAdapterFactory,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { fromPackageRoot } from '../package-root.ts';
import type { ConnectCallback } from './guarded-pool.ts';
import { runScript } from './run-script.ts';

const WASM_IMPORT_NAME = './schema_engine_bg.js';
const require = createRequire(import.meta.url);

/** The part of Node.js's WebAssembly that is used here. TypeScript declares it only for browsers. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

/**
 * Uses Prisma Migrate's own engine in WebAssembly, so that no native binary has to be downloaded and the production image needs
 * no Prisma CLI. It logs nothing: it reports by results and errors.
 *
 * @throws the driver's error if a connection could not be opened or was lost, since the engine's error contains neither its
 * code nor its text. Otherwise the error of `work`.
 */
export async function withSchemaEngine<Result>(
  url: string,
  work: (engine: engineModule.SchemaEngine) => Promise<Result>,
): Promise<Result> {
  await instantiate();
  const path = fromPackageRoot('prisma/schema.prisma');
  const schema = await readFile(path, 'utf8');
  const pool = new PoolWithFailures(url);
  let engine: engineModule.SchemaEngine | undefined;
  try {
    engine = await engineModule.SchemaEngine.new(
      { datamodels: [[path, schema]] },
      () => {},
      bindSqlAdapterFactory(wholeScripts(new PrismaPg(pool), pool)),
    );
    return await work(engine);
  } catch (error) {
    throw pool.failure ?? error;
  } finally {
    engine?.free();
    await pool.end();
  }
}

/** A pool that stores the error of a connection that could not be opened or was lost. */
class PoolWithFailures extends pg.Pool {
  failure: Error | undefined;

  constructor(connectionString: string) {
    super({ connectionString });
    const note = (error: Error) => {
      this.failure = error;
    };
    this.on('error', note);
    this.on('connect', (connection) => connection.on('error', note));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (!callback)
      return super.connect().catch((error: Error) => {
        this.failure = error;
        throw error;
      });
    super.connect((error, connection, release) => {
      this.failure = error ?? this.failure;
      callback(error, connection, release);
    });
    return undefined;
  }
}

/**
 * Does what the package's `schema_engine.js` does by importing the .wasm file, which Node.js cannot do without a flag. The glue
 * code is one object for each process and keeps the memory of its first instance, so there can be only one.
 */
const instantiate = once(async () => {
  const glue = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(join(dirname(glue), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { [WASM_IMPORT_NAME]: withoutLingeringTimers() });
  engineModule.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
});

/**
 * Returns the engine's imports from its glue code. The engine sets a timer of ten seconds for its own lock and never clears it,
 * which would delay the end of a process.
 */
function withoutLingeringTimers(): object {
  const setUnheldTimeout = (callback: () => void, ms: number) => setTimeout(callback, ms).unref();
  return Object.fromEntries(
    Object.entries(engineModule).map(([name, value]) => [
      name,
      name.startsWith('__wbg_setTimeout_') ? setUnheldTimeout : value,
    ]),
  );
}

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * The adapter splits a script at every semicolon, even within functions and comments. PostgreSQL accepts a whole script, which
 * also makes a migration atomic.
 */
function wholeScripts(factory: PrismaPg, pool: pg.Pool): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect(): Promise<SqlDriverAdapter> {
      const adapter = await factory.connect();
      return Object.assign(adapter, {
        executeScript: async (script: string) => {
          await runScript(pool, script).catch(rethrowForEngine);
        },
      });
    },
  };
}

function rethrowForEngine(error: unknown): never {
  if (!(error instanceof pg.DatabaseError)) throw error;
  const { code = 'unknown', severity = 'ERROR', message, detail, column, hint } = error;
  throw new DriverAdapterError({ kind: 'postgres', code, severity, message, detail, column, hint });
}
