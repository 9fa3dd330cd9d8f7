import { explorer } from '../../texts/index.ts';

/** The answer to a run, as far as it has come. */
export interface Answer {
  /** HTTP's; undefined while nothing has come, and over a WebSocket. */
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  /** The result: of several payloads what they make together, of a subscription its last event. */
  readonly result?: unknown;
  /** How many payloads or events have come. */
  readonly payloads: number;
  readonly bytes: number;
  readonly durationMs: number;
  readonly isDone: boolean;
  /** Why there is no result. */
  readonly problem?: string;
}

export const NO_ANSWER: Answer = { headers: [], payloads: 0, bytes: 0, durationMs: 0, isDone: false };

/** Headers that name the request in logs and traces. */
export function requestIdIn({ headers }: Answer): string | undefined {
  return headers.find(([name]) => name === 'x-request-id')?.[1];
}

/** The trace of an answer: as its explanation says it, or the header `traceresponse` (W3C Trace Context 2). */
export function answerTraceId(answer: Answer): string | undefined {
  const header = answer.headers.find(([name]) => name === 'traceresponse')?.[1];
  return explanationIn(answer)?.traceId ?? header?.split('-')[1];
}

/** How the operation was run: `extensions.portico`, see docs/insight.md. */
export interface Explanation {
  readonly traceId?: string;
  readonly durationMs?: number;
  readonly plan?: {
    readonly kind: string;
    readonly cached?: boolean;
    readonly steps?: readonly {
      readonly source: string;
      readonly fields?: readonly string[];
      readonly path?: string;
      readonly wave: number;
    }[];
  };
  readonly calls?: readonly {
    readonly source: string;
    readonly startMs: number;
    readonly waitMs: number;
    readonly durationMs?: number;
    readonly outcome?: string;
    readonly bytes?: number;
  }[];
  readonly cost?: Readonly<Record<string, { readonly value: number; readonly limit?: number }>>;
}

export function explanationIn({ result }: Answer): Explanation | undefined {
  return (result as { readonly extensions?: { readonly portico?: Explanation } } | undefined)?.extensions?.portico;
}

/** A place in an operation, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An error of a result, as far as it has the form of one. */
export interface ShownError {
  readonly message: string;
  readonly code: string | undefined;
  /** Such as `orders[0].item`. */
  readonly path: string | undefined;
  readonly locations: readonly Position[];
}

/** The errors of a result. A gateway of another kind, or a proxy, may send anything in their place. */
export function errorsIn(result: unknown): readonly ShownError[] {
  const { errors } = Object(result) as { readonly errors?: unknown };
  return Array.isArray(errors) ? errors.map(shownError) : [];
}

function shownError(error: unknown): ShownError {
  const { message, extensions, path, locations } = Object(error) as Readonly<Record<string, unknown>>;
  const { code } = Object(extensions) as Readonly<Record<string, unknown>>;
  return {
    message: typeof message === 'string' ? message : (JSON.stringify(error) ?? ''),
    code: typeof code === 'string' ? code : undefined,
    path: Array.isArray(path) && path.length > 0 ? pathText(path) : undefined,
    locations: Array.isArray(locations) ? locations.filter(isPosition) : [],
  };
}

function pathText(path: readonly unknown[]): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');
}

function isPosition(value: unknown): value is Position {
  const { line, column } = Object(value) as Readonly<Record<string, unknown>>;
  return Number.isSafeInteger(line) && Number.isSafeInteger(column);
}

/** How a run went: `warn` if a result has errors beside its data. */
export function outcomeOf({ status = 200, problem, result }: Answer): 'good' | 'warn' | 'bad' {
  if (problem !== undefined || status >= 400) return 'bad';
  if (errorsIn(result).length === 0) return 'good';
  const { data } = Object(result) as { readonly data?: unknown };
  return typeof data === 'object' && data !== null && Object.values(data).some((value) => value !== null)
    ? 'warn'
    : 'bad';
}

/** Browsers take a second to lay out each megabyte of a line. */
const LONGEST_LINE = 20_000;

/** A text to look at, whose lines are shortened where they are very long, such as files in texts. */
export function withShortLines(text: string): string {
  const shortened: string[] = [];
  let taken = 0;
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at;
    if (end - start > LONGEST_LINE) {
      shortened.push(text.slice(taken, start + LONGEST_LINE), explorer.answer.ofLine(end - start));
      taken = end;
    }
    start = end + 1;
  }
  return shortened.length === 0 ? text : shortened.join('') + text.slice(taken);
}
