/**
 * The largest semi-space of a gateway's young generation, in MiB. V8 copies live objects from one semi-space to the other, so that the
 * young generation takes three times as much at most. V8 reads the size before any code of Portico runs, so that each process is
 * started with it. `Dockerfile` repeats the number; `docs/performance.md` has the measurements.
 */
export const SEMI_SPACE_MIB = 32;

/** V8 takes underscores as well. */
const IS_SET = /--max[-_]semi[-_]space[-_]size\b/;

/**
 * The environment of a process that is to be a gateway: `environment` with a young generation in `NODE_OPTIONS`. Other options stay
 * there, and so does a size that the operator has set. An argument of `node` takes precedence over both.
 */
export function withYoungGeneration(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options = '' } = environment;
  if (IS_SET.test(options)) return environment;
  return { ...environment, NODE_OPTIONS: `--max-semi-space-size=${SEMI_SPACE_MIB} ${options}`.trimEnd() };
}
