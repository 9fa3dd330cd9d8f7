import { isDeepStrictEqual } from 'node:util';
import { COUNTER, digits, type LoadRequest } from '../loads/index.ts';
import { type Cores, type GroupProcess, type ProcessGroup, until } from '../machine/index.ts';
import { graphOf, ROWS, type Row, type RowId } from '../rows.ts';
import type { GraphName, Subgraphs } from '../subgraphs/index.ts';

/** A slow gateway first finishes the rest of a load, which is tens of seconds of work in row G10. */
const ANSWER_WITHIN_MS = 60_000;

/** The dependencies of targets and measurements. */
export interface BenchDependencies {
  readonly group: ProcessGroup;
  readonly cores: Cores;
  readonly subgraphs: Subgraphs;
  /** Whether the calls to services are counted. If so, Portico sends each call. */
  readonly countsCalls?: boolean;
  /** Prints progress. */
  readonly say: (text: string) => void;
}

/** A measurable target: a limit, a peer or Portico. */
export interface Target {
  readonly name: string;
  /** The name that selects all targets of a family, such as `hive`. */
  readonly family: string;
  readonly title: string;
  readonly kind: 'limit' | 'peer' | 'portico';
  readonly rows: readonly RowId[];
  /**
   * Starts the target for one of the federations, by default for `small`.
   *
   * @throws Error with the reason if it cannot be started here.
   */
  start(dependencies: BenchDependencies, graph?: GraphName): Promise<RunningTarget>;
  /** Returns the version, or undefined if it is not meaningful. */
  version?(): string | undefined;
}

export interface RunningTarget {
  /** The process of the target. Undefined for the subgraphs themselves. */
  readonly member: GroupProcess | undefined;
  /** The time from the start to the first correct response. */
  readonly readyAfterMs: number;
  /** Returns the request of a row. */
  request(row: Row): LoadRequest;
  stop(): Promise<void>;
}

/** The address at which a target receives requests. */
export interface TargetAddress {
  readonly origin: string;
  /** The path of GraphQL requests, which may depend on the row. */
  readonly graphqlPath: string | ((row: Row) => string);
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the request of a row at an address. */
export function requestAt({ origin, graphqlPath, headers = {} }: TargetAddress, row: Row): LoadRequest {
  const { request } = row;
  if (request.kind === 'rest') return { url: origin + request.path, method: 'GET', headers, body: '' };
  return graphqlRequest(origin + (typeof graphqlPath === 'string' ? graphqlPath : graphqlPath(row)), request, headers);
}

export function graphqlRequest(
  url: string,
  { query, variables }: { query: string; variables?: Readonly<Record<string, unknown>> },
  headers: Readonly<Record<string, string>> = {},
): LoadRequest {
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  };
}

/** Sends `request` once. @throws Error with the response unless it equals `expected` (ignoring extensions). */
export async function expectResponse(request: LoadRequest, expected: unknown): Promise<void> {
  const number = digits(1);
  const answer = await fetch(request.url.replaceAll(COUNTER, number), {
    method: request.method,
    headers: request.headers,
    ...(request.method === 'POST' ? { body: request.body.replaceAll(COUNTER, number) } : {}),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await answer.text();
  const { extensions: _, ...content } = jsonOrText(text);
  if (answer.status !== 200 || !isDeepStrictEqual(content, expected))
    throw new Error(`answered ${answer.status} ${text.slice(0, 300)}`);
}

/** Waits until `member` responds correctly to the target's first row of `graph`. If it never does, it is ended. */
export async function whenReady(
  target: Pick<Target, 'rows'>,
  graph: GraphName,
  member: GroupProcess,
  address: TargetAddress,
  began: number,
): Promise<RunningTarget> {
  const row = ROWS[target.rows.find((id) => graphOf(id) === graph) ?? 'H'];
  try {
    await until('the first right answer', member, async () => {
      await expectResponse(requestAt(address, row), row.answer);
      return true;
    });
  } catch (error) {
    await member.stop();
    throw error;
  }
  return {
    member,
    readyAfterMs: performance.now() - began,
    request: (wanted) => requestAt(address, wanted),
    stop: member.stop,
  };
}

function jsonOrText(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
