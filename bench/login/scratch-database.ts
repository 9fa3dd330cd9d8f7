import { Client } from 'pg';

/** A temporary database in the PostgreSQL that `DATABASE_URL` names. */
export interface ScratchDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** @returns undefined without `DATABASE_URL`. @param suffix of the name, if one process creates several. */
export async function scratchDatabase(suffix = 'login'): Promise<ScratchDatabase | undefined> {
  const { DATABASE_URL: given } = process.env;
  if (!given) return undefined;
  const name = `portico_bench_${process.pid}_${suffix}`;
  const run = async (statement: string) => {
    const client = new Client({ connectionString: given });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(given);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
