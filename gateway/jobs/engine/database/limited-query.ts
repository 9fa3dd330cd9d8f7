import pg from 'pg';

/** The messages of PostgreSQL's extended query protocol (section 54.2.3 of its manual), as the driver writes them. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(statement: { text: string }): void;
  bind(portal: { values: readonly string[] }): void;
  execute(portal: object): void;
}

/**
 * A statement with its own settings in one message, which PostgreSQL runs as one transaction. Settings of the session would
 * also affect others if a pooler or the embedded database shares it. The settings are the statement timeout, and a commit that
 * waits for the disk: accepted jobs have to survive a crash of the server.
 */
class LimitedQuery extends pg.Query {
  readonly #timeoutMs: number;

  constructor(config: pg.QueryConfig, timeoutMs: number, callback: (error: Error | null, result: unknown) => void) {
    // With a callback, the driver neither throws nor emits errors.
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

/** Returns no rows, so that all rows are those of the statement. */
const SETTINGS = `SELECT WHERE set_config('statement_timeout', $1, true) IS NULL OR set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) IS NULL`;

/** Runs one statement in its own transaction, for at most `timeoutMs` milliseconds. @throws Error as the driver does. */
export function limitedQuery<Row extends pg.QueryResultRow>(
  connection: pg.ClientBase,
  text: string,
  values: readonly unknown[],
  timeoutMs: number,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const query = new LimitedQuery({ text, values: [...values] }, timeoutMs, (error, result) => {
      if (error) reject(error);
      // The result of the settings, which is empty, comes first.
      else resolve(([result].flat().at(-1) as pg.QueryResult<Row>).rows);
    });
    connection.query(query);
  });
}
