import { isDeepStrictEqual } from 'node:util';
import { COUNTER, digits, type LoadRequest } from '../loads/index.ts';
import { type Cores, type GroupProcess, type ProcessGroup, until } from '../machine/index.ts';
import { graphOf, ROWS, type Row, type RowId } from '../rows.ts';
import type { GraphName, Subgraphs } from '../subgraphs/index.ts';

/** A slow gateway first answers what a load has left it, tens of seconds of work in row G10. */
const ANSWER_WITHIN_MS = 60_000;

/** What targets and measurements need. */
export interface BenchDependencies {
  readonly group: ProcessGroup;
  readonly cores: Cores;
  readonly subgraphs: Subgraphs;
  /** Whether requests are counted by the calls that services get: then Portico sends each call. */
  readonly countsCalls?: boolean;
  /** Prints progress. */
  readonly say: (text: string) => void;
}

/** Something that can be measured: a limit, a peer or Portico. */
export interface Target {
  readonly name: string;
  /** Chosen together with its likes by this name, such as `hive`. */
  readonly family: string;
  readonly title: string;
  readonly kind: 'limit' | 'peer' | 'portico';
  readonly rows: readonly RowId[];
  /**
   * Starts it for one of the federations, by default for `small`.
   *
   * @throws with a reason when it cannot be started here.
   */
  start(dependencies: BenchDependencies, graph?: GraphName): Promise<RunningTarget>;
  /** What it is made of, with versions; undefined where that says nothing. */
  version?(): string | undefined;
}

export interface RunningTarget {
  /** Its process; undefined for the subgraphs themselves. */
  readonly member: GroupProcess | undefined;
  /** From its start until the first right answer. */
  readonly readyAfterMs: number;
  /** What has to be sent to it for a row. */
  request(row: Row): LoadRequest;
  stop(): Promise<void>;
}

/** Where a target takes requests. */
export interface TargetAddress {
  readonly origin: string;
  /** The path of GraphQL requests, which may be another for each row. */
  readonly graphqlPath: string | ((row: Row) => string);
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request of a row at an address. */
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

/** Sends `request` once. @throws unless exactly `expected` comes back (extensions aside), with what came. */
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

/** Waits until `member` gives the right answer to the target's first row of `graph`. One that never does is ended. */
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
