import pg from 'pg';

/** The messages of PostgreSQL's extended query protocol (its manual, section 54.2.3), as the driver writes them. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(statement: { text: string }): void;
  bind(portal: { values: readonly string[] }): void;
  execute(portal: object): void;
}

/**
 * A statement with settings of its own, in one message, which PostgreSQL makes one transaction. A setting of the session would
 * go to others too, where a pooler or the embedded database shares it: how long it may take, and that its commit waits for the
 * disk, since what was accepted has to survive the server.
 */
class LimitedQuery extends pg.Query {
  readonly #timeoutMs: number;

  constructor(config: pg.QueryConfig, timeoutMs: number, callback: (error: Error | null, result: unknown) => void) {
    // As the driver has it: with a callback it throws nothing and emits no errors.
    super({ ...config, queryMode: 'extended', callback } as pg.QueryConfig);
    this.#timeoutMs = timeoutMs;
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    wire.parse({ text: SETTINGS });
    wire.bind({ values: [String(this.#timeoutMs)] });
    wire.execute({});
    submitQuery.call(this, connection);
    wire.stream.uncork();
  };
}

const submitQuery = pg.Query.prototype.submit;

/** Returns no rows, so that those of the statement are the only ones. */
const SETTINGS = `SELECT WHERE set_config('statement_timeout', $1, true) IS NULL OR set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) IS NULL`;

/** Runs one statement in a transaction of its own, `timeoutMs` milliseconds at most. @throws Error as the driver does. */
export function limitedQuery<Row extends pg.QueryResultRow>(
  connection: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  timeoutMs: number,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const query = new LimitedQuery({ text, values: [...values] }, timeoutMs, (error, result) => {
      if (error) reject(error);
      // The settings have an empty result of their own before it.
      else resolve(([result].flat().at(-1) as pg.QueryResult<Row>).rows);
    });
    connection.query(query);
  });
}
