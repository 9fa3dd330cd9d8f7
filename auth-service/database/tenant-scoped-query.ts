import pg from 'pg';

/** A statement with parameters `$1`, `$2` … and their values. The tag `Prisma.sql` creates one. */
export interface Statement {
  readonly text: string;
  /** Texts, numbers, booleans, times, bytes and null. */
  readonly values: readonly unknown[];
}

export type Row = Record<string, unknown>;

/** The names of the prepared statements of one connection. */
export interface PreparedNames {
  /** Returns the name for a text, which is the same on all connections. Undefined if the text is not prepared. */
  nameOf(text: string): string | undefined;
  /** The names of statements that are prepared on the connection. */
  readonly known: Set<string>;
}

/** The messages of PostgreSQL's extended query protocol (section 54.2.3 of its manual), as the driver writes them. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly Encoded[] | undefined }): void;
  describe(portal: { type: 'P' }): void;
  execute(portal: object): void;
  close(statement: { type: 'S'; name: string }): void;
  sync(): void;
}

/** A value as the protocol accepts it: a text or bytes. */
type Encoded = string | Buffer | null;

interface Column {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/**
 * A query for the driver in one message: `rowSecurity`, which sets the row-security context and returns no rows, followed by
 * the statement. PostgreSQL runs everything up to the end of the message as one transaction, without BEGIN and COMMIT.
 */
export class TenantScopedQuery implements pg.Submittable {
  readonly rowSecurity: Statement;
  readonly text: string;
  readonly values: readonly unknown[];
  /** The rows of the statement. */
  readonly result: Promise<readonly Row[]>;
  readonly #prepared: PreparedNames;
  readonly #encoded: readonly (readonly Encoded[])[];
  readonly #added: string[] = [];
  readonly #rows: Row[] = [];
  #columns: readonly Column[] = [];
  #unread: Error | undefined;
  #resolve: (rows: readonly Row[]) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** @throws TypeError for a value of an unsupported type. */
  constructor(rowSecurity: Statement, { text, values }: Statement, prepared: PreparedNames) {
    this.rowSecurity = rowSecurity;
    this.text = text;
    this.values = values;
    this.#encoded = [rowSecurity.values.map(encodeParameter), values.map(encodeParameter)];
    this.#prepared = prepared;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: unknown): void {
    const wire = connection as Wire;
    const [seen, values] = this.#encoded;
    wire.stream.cork();
    wire.bind({ statement: this.#prepare(this.rowSecurity.text, wire), values: seen });
    wire.execute({});
    wire.bind({ statement: this.#prepare(this.text, wire), values });
    wire.describe({ type: 'P' });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
  }

  /** PostgreSQL parses and plans a named statement once, and not each time. */
  #prepare(text: string, wire: Wire): string {
    const name = this.#prepared.nameOf(text) ?? '';
    if (name !== '' && this.#prepared.known.has(name)) return name;
    // A failed statement may have been prepared before it failed, and a pooler's connection may know the name from another
    // client. Closing an unknown name is not an error.
    if (name !== '') wire.close({ type: 'S', name });
    wire.parse({ name, text });
    if (name !== '') this.#added.push(name);
    return name;
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: pg.types.getTypeParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Row = {};
    try {
      for (const [index, { name, read }] of this.#columns.entries()) {
        const text = fields[index] ?? null;
        row[name] = text === null ? null : read(text);
      }
    } catch (error) {
      this.#unread = error as Error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    for (const name of this.#added) this.#prepared.known.add(name);
    if (this.#unread) this.#reject(this.#unread);
    else this.#resolve(this.#rows);
  }

  /** Also called if the connection is lost. */
  handleError(error: Error): void {
    this.#reject(error);
  }
}

function encodeParameter(value: unknown): Encoded {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError('a statement was given a value of a type that it cannot take');
}
