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
