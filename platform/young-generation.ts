/**
 * The most that a semi-space of a gateway's young generation may have, in MiB: V8 copies what lives from one of them to the other,
 * and the young generation has three times as much at most. `docs/performance.md` says what was measured. V8 reads it before any
 * code of ours runs, so that it is given to each process that is started; `Dockerfile` repeats it.
 */
export const SEMI_SPACE_MIB = 32;

/** V8 takes underscores as well. */
const IS_SET = /--max[-_]semi[-_]space[-_]size\b/;

/**
 * The environment of a process that is to be a gateway: `environment` with a young generation in `NODE_OPTIONS`. Other options stay
 * there, and a size that is set there stays as it is. An argument of `node` takes precedence over both.
 */
export function withYoungGeneration(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options = '' } = environment;
  if (IS_SET.test(options)) return environment;
  return { ...environment, NODE_OPTIONS: `--max-semi-space-size=${SEMI_SPACE_MIB} ${options}`.trimEnd() };
}
