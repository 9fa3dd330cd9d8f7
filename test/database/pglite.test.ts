import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from './index.ts';

test('clients of PGlite that ask at once, each after a transaction, get their own rows', async () => {
  const { url, drop } = await createTestDatabase({ engine: 'pglite' });
  const clients = Array.from({ length: 8 }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    const answers = await Promise.all(
      clients.map(async (client, number) => {
        for (let round = 0; round < 20; round += 1) {
          await client.query('BEGIN');
          await client.query('SELECT $1::int', [number]);
          await client.query('COMMIT');
          const { rows } = await client.query('SELECT $1::int AS number', [number]);
          if (rows[0]?.number !== number) return `${number} got ${JSON.stringify(rows)}`;
        }
        return 'right';
      }),
    );

    expect(answers).toEqual(clients.map(() => 'right'));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await drop();
  }
});

test('PGlite has small buffers, which are filled with zeros at each start', async () => {
  const { url, drop } = await createTestDatabase({ engine: 'pglite', migrated: false });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    expect((await client.query('SHOW shared_buffers')).rows).toEqual([{ shared_buffers: '16MB' }]);
  } finally {
    await client.end();
    await drop();
  }
});
