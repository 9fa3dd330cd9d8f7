import pg from 'pg';

/** What sees to what a transaction sees. */
type Beginning = string | { text: string; values: unknown[] };

/** A statement as it was sent, and what its transaction began with. */
export interface Statement {
  begin: Beginning | undefined;
  text: string;
  values: unknown[];
}

type Send = (query: unknown, ...rest: unknown[]) => unknown;

const WITH_A_PLAN = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i;

/** Listens to what the driver of this process sends, from now until `stop()`. Connections have to be opened after it. */
export function captureStatements() {
  const statements = new Map<string, Statement>();
  const begun = new WeakMap<object, Beginning>();
  const send = pg.Client.prototype.query as Send;
  pg.Client.prototype.query = function (this: pg.Client, query: unknown, ...rest: unknown[]) {
    const given = typeof query === 'string' ? { text: query, values: rest[0] } : query;
    // One that stands alone brings along what it may see.
    const { text, values, rowSecurity } = given as Partial<Statement> & { rowSecurity?: Beginning };
    if (text?.startsWith('BEGIN')) begun.set(this, text);
    else if (text === 'COMMIT' || text === 'ROLLBACK') begun.delete(this);
    else if (text && WITH_A_PLAN.test(text) && !statements.has(text))
      statements.set(text, {
        begin: rowSecurity ?? begun.get(this),
        text,
        values: Array.isArray(values) ? values : [],
      });
    return send.call(this, query, ...rest);
  } as typeof pg.Client.prototype.query;
  return {
    /** Each text once, in the order in which they were first sent. */
    statements: () => [...statements.values()],
    forget: () => statements.clear(),
    stop() {
      pg.Client.prototype.query = send as typeof pg.Client.prototype.query;
    },
  };
}

/** A node of a plan (PostgreSQL manual, EXPLAIN, FORMAT JSON). */
interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'TID Cond'?: string;
  Plans?: PlanNode[];
}

/**
 * The nodes of the plan that PostgreSQL makes for the statement, where and as it was sent, if its tables had ten times as
 * many pages: to fill them with a million rows takes half a minute.
 */
export async function planOf({ begin, text, values }: Statement, client: pg.Client): Promise<PlanNode[]> {
  await client.query(typeof begin === 'string' ? begin : 'BEGIN');
  try {
    if (typeof begin === 'object') await client.query(begin);
    await client.query('SET LOCAL seq_page_cost = 10');
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('ROLLBACK');
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
