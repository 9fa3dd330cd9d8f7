import type { Send } from '../../../gateway/planning/joins/index.ts';

/** A way to send that is written with a promise. */
export function sending<Context>(
  answer: (...asked: Parameters<Send<Context>>) => Promise<string | Buffer | readonly Buffer[]>,
): Send<Context> {
  return (subgraph, body, context, call, done) => {
    answer(subgraph, body, context, call, done).then(done, done);
  };
}
