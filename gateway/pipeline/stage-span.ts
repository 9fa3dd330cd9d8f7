import type { RequestContext } from '../transports/http/index.ts';

type Traced = Pick<RequestContext, 'span'>;

/**
 * Runs a stage of an operation within a span, if the request is recorded and the stage has work to do. Cached results
 * have no span.
 */
export function inSpan<T>({ span }: Traced, name: string, hasWork: () => boolean, stage: () => T): T {
  if (!span?.isRecording || !hasWork()) return stage();
  const own = span.startChild(name);
  try {
    return stage();
  } catch (error) {
    own.fail('error');
    throw error;
  } finally {
    own.end();
  }
}

/** Traces a stage that only returns a promise if it has to wait. */
export function inSpanOfPromise<T>({ span }: Traced, name: string, stage: () => T | Promise<T>): T | Promise<T> {
  if (!span?.isRecording) return stage();
  const startedAt = performance.now();
  const result = stage();
  if (!(result instanceof Promise)) return result;
  const own = span.startChild(name, 'internal', undefined, startedAt);
  return result.then(
    (value) => {
      own.end();
      return value;
    },
    (error) => {
      const { code } = (error ?? {}) as { code?: unknown };
      own.fail(typeof code === 'string' ? code : 'error');
      own.end();
      throw error;
    },
  );
}
