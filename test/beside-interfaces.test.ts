import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { expect, test } from '@jest/globals';
import { buildASTSchema, parse, printSchema } from 'graphql';
import pg from 'pg';
import { buildSchema } from '../gateway/graphql/schemas/build-schema.ts';
import { atOnce } from '../platform/index.ts';
import { withWholeBatches } from '../platform/pglite-batches.ts';

/*
 * Canaries for the places where a library or Node is used beside its documented interface. `docs/dependencies.md` lists the places.
 * A test that fails after an update names the place that has to be looked at.
 */

test('Node lets a pipe on standard output be made non-blocking (platform/logging/logger.ts)', () => {
  const print = 'process.stdout.write(typeof process.stdout._handle.setBlocking)';
  expect(execFileSync(process.execPath, ['-e', print], { encoding: 'utf8' })).toBe('function');
});

test('closing the net server of an HTTP server leaves idle connections open (platform/http/http-server.ts)', async () => {
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const next = () => new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await next()).toContain('200 OK');
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await next()).toContain('200 OK');
  socket.end();
  await closed;
});

test('the driver of PostgreSQL writes a query by messages that can be preceded by others (limited-query.ts)', () => {
  const { parse: writeParse, bind, execute } = pg.Connection.prototype as unknown as Record<string, unknown>;
  expect([typeof writeParse, typeof bind, typeof execute]).toEqual(['function', 'function', 'function']);
  expect(typeof pg.Query.prototype.submit).toBe('function');
});

test('graphql builds the types of a schema by a function that takes an empty one (gateway/graphql/schemas/build-schema.ts)', () => {
  const document = parse(`"""all""" schema { query: Root } directive @on(a: Int = 1) on FIELD
    type Root implements Node { id: ID! list(by: By = { size: BIG }): [One!] } interface Node { id: ID! }
    type Other { id: ID! } union One = Root | Other enum Size { BIG SMALL } input By { size: Size! } scalar Day`);
  expect(printSchema(atOnce(buildSchema(document)))).toBe(printSchema(buildASTSchema(document)));
});

test.each([
  ['node_modules/pg/lib/stream.js', 'if (isCloudflareRuntime())'],
  ['node_modules/undici/lib/web/cookies/index.js', '[Headers, globalThis.Headers]'],
])('%s has the text that its bundle is without (build/packages.mjs)', (file, text) => {
  expect(readFileSync(file, 'utf8')).toContain(text);
});

test('the socket server of PGlite runs the queries of two clients whole (platform/pglite-batches.ts)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-'));
  const db = await PGlite.create();
  const server = new PGLiteSocketServer({
    db: withWholeBatches(db),
    path: join(folder, '.s.PGSQL.5432'),
    maxConnections: 4,
  });
  await server.start();
  const clients = ['one', 'other'].map(() => new pg.Client({ host: folder, user: 'postgres', database: 'postgres' }));
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const answers = clients.map((client, number) => unhurriedValue(client, `SELECT 'of ${number}' AS mine`));
    expect(await Promise.all(answers)).toEqual(['of 0', 'of 1']);
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
    await server.stop();
    await db.close();
    rmSync(folder, { recursive: true });
  }
});

/** A query whose messages arrive one after the other, so that those of another client may come between them. */
class UnhurriedQuery extends pg.Query {
  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    wire.parse({ text: this.text });
    wire.flush();
    setTimeout(() => {
      wire.bind({ values: [] });
      wire.describe({ type: 'P' });
      wire.execute({});
      wire.sync();
    }, 50);
  };

  declare readonly text: string;
}

/** The methods of the driver's connection that write one message each. */
interface Wire {
  parse(query: { readonly text: string }): void;
  bind(values: { readonly values: readonly unknown[] }): void;
  describe(what: { readonly type: 'P' }): void;
  execute(limits: object): void;
  flush(): void;
  sync(): void;
}

function unhurriedValue(client: pg.Client, text: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const query = new UnhurriedQuery({ text }, (error, result) =>
      error ? reject(error) : resolve((result.rows[0] as { mine: unknown }).mine),
    );
    client.query(query);
  });
}
