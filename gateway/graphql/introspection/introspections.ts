import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import { CacheCounts, type Done, SecondChanceCache } from '../../../platform/index.ts';
import { type IntrospectionOperation, introspectionOperation, resultKey } from './introspection-operation.ts';
import { BudgetExceeded } from './result-budget.ts';
import { writeResult } from './result-writer.ts';

/** The bytes of `{"data":{…}}` in chunks, or a result with errors. */
export type IntrospectionResult = readonly Buffer[] | ExecutionResult;

type VariableValues = Readonly<Record<string, unknown>>;

/** An introspection that is ready to be executed any number of times. `done` is called once; nothing is thrown. */
export type PreparedIntrospection = (variables: VariableValues, done: Done<IntrospectionResult>) => void;

/** Executes introspections of one schema. */
export interface SchemaIntrospection {
  /** @param document the operation and the fragments that it uses, valid against the schema. */
  prepare(document: DocumentNode, operation: OperationDefinitionNode): PreparedIntrospection;
}

/** Milliseconds for which a result is written before others go on. */
const SLICE_MS = 4;
/** Results that are being written at a time, and that wait to be. */
const MAX_AT_A_TIME = 4;
const MAX_WAITING_INTROSPECTIONS = 100;
/**
 * Characters that may be written for one result: this many, and so many times what the standard query's result has. That
 * result's own take between four and five times, because objects within objects are counted at each level.
 */
const BASE_BUDGET = 4_000_000;
const BUDGET_FACTOR = 16;

/** An introspection result that is being written. */
interface IntrospectionJob {
  readonly steps: Generator<void, IntrospectionResult>;
  readonly finish: Done<IntrospectionResult>;
}

/**
 * Executes introspections of the schemas of one generation; results that are cached are not written again. Others are
 * written in slices of a few milliseconds, so that a large schema does not block the event loop; concurrent requests for
 * the same result share it.
 */
export class Introspections {
  readonly counts = new CacheCounts();
  readonly #cache = new ResultCache();
  /** The callbacks that wait for a result, by its key. */
  readonly #awaited = new Map<string, Done<IntrospectionResult>[]>();
  readonly #jobs: IntrospectionJob[] = [];
  readonly #waiting: IntrospectionJob[] = [];
  #isWorking = false;
  #schemas = 0;

  /** How many results are cached. */
  get kept(): number {
    return this.#cache.size;
  }

  of(schema: GraphQLSchema): SchemaIntrospection {
    this.#schemas += 1;
    const prefix = `${this.#schemas} `;
    const budget = budgetOf(schema);
    return {
      prepare: (document, operation) => {
        const introspection = introspectionOperation(document, operation);
        return (variables, done) => {
          const key = prefix + resultKey(introspection, variables);
          const known = this.#cache.get(key);
          if (known) {
            this.counts.hits++;
            done(known);
          } else {
            this.counts.misses++;
            this.#request(key, resultSteps(schema, introspection, variables, budget), done);
          }
        };
      },
    };
  }

  #request(key: string, steps: IntrospectionJob['steps'], done: Done<IntrospectionResult>): void {
    const others = this.#awaited.get(key);
    if (others) {
      others.push(done);
      return;
    }
    if (this.#waiting.length >= MAX_WAITING_INTROSPECTIONS) {
      done(tooManyIntrospectionsQueued());
      return;
    }
    const awaiting = [done];
    this.#awaited.set(key, awaiting);
    const finish: Done<IntrospectionResult> = (result) => {
      this.#awaited.delete(key);
      if (Array.isArray(result)) this.#cache.keep(key, result);
      for (const one of awaiting)
        try {
          one(result);
        } catch (error) {
          // One receiver that throws must not keep the result from the others.
          process.emitWarning(`an answer to an introspection could not be handed over: ${String(error)}`);
        }
    };
    const job = { steps, finish };
    if (this.#jobs.length < MAX_AT_A_TIME) this.#jobs.push(job);
    else this.#waiting.push(job);
    if (!this.#isWorking) void this.#work();
  }

  /** Writes each result for a slice in turn. The first slice is written at once: most results need no more. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
        const result = workOn(job.steps, performance.now() + SLICE_MS);
        if (result) {
          const next = this.#waiting.shift();
          if (next) this.#jobs.push(next);
          job.finish(result);
        } else this.#jobs.push(job);
        if (this.#jobs.length > 0) await setImmediate();
      }
    } finally {
      this.#isWorking = false;
    }
  }
}

/** @returns undefined when the slice ended before the result was complete. */
function workOn(steps: IntrospectionJob['steps'], until: number): IntrospectionResult | undefined {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() >= until) return undefined;
  }
}

function* resultSteps(
  schema: GraphQLSchema,
  introspection: IntrospectionOperation,
  variables: VariableValues,
  budget: () => Generator<void, number>,
): Generator<void, IntrospectionResult> {
  try {
    return yield* writeResult(schema, introspection, variables, yield* budget());
  } catch (error) {
    if (error instanceof BudgetExceeded) return introspectionTooCostly();
    // A resolver failed. graphql-js reports which one, and where.
    return executeWithGraphql(schema, introspection, variables);
  }
}

function executeWithGraphql(
  schema: GraphQLSchema,
  { document }: IntrospectionOperation,
  variables: VariableValues,
): IntrospectionResult {
  try {
    return execute({ schema, document, variableValues: variables }) as ExecutionResult;
  } catch (thrown) {
    const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] };
  }
}

/** The most characters of one introspection result of a schema, computed once. */
function budgetOf(schema: GraphQLSchema): () => Generator<void, number> {
  let known: number | undefined;
  return function* () {
    known ??= BASE_BUDGET + BUDGET_FACTOR * (yield* schemaSize(schema));
    return known;
  };
}

/** More introspections wait than are queued. */
function tooManyIntrospectionsQueued(): ExecutionResult {
  return errorResult('too many introspections are waiting; try again later', 'service-unavailable');
}

/** An introspection whose result would be far larger than that of the standard query. */
function introspectionTooCostly(): ExecutionResult {
  return errorResult(
    'the introspection requests more than is needed to read the schema',
    'introspection-limit-exceeded',
  );
}

function errorResult(message: string, code: string): ExecutionResult {
  return { data: null, errors: [new GraphQLError(message, { extensions: { code } })] };
}

/** The most results, and the most bytes, that are cached for all roles together. */
const MAX_RESULTS = 500;
const MAX_CACHED_BYTES = 128 * 1024 * 1024;

/** A bounded cache of introspection results. */
class ResultCache {
  readonly #results = new SecondChanceCache<readonly Buffer[]>({ entries: MAX_RESULTS, weights: [MAX_CACHED_BYTES] });

  get size(): number {
    return this.#results.size;
  }

  get(key: string): readonly Buffer[] | undefined {
    return this.#results.get(key);
  }

  /** Caches a result, unless it is larger than half of the bound. */
  keep(key: string, result: readonly Buffer[]): void {
    const bytes = result.reduce((sum, { length }) => sum + length, 2 * key.length);
    this.#results.keep(key, result, [bytes]);
  }
}

/** About what the standard query for the schema says of a type, a field or an argument beside its name and description. */
const CHARACTERS_EACH = 250;

/**
 * Estimates how many characters the result of the standard introspection query has.
 *
 * Yields at intervals, so that other work can run in between.
 */
function* schemaSize(schema: GraphQLSchema): Generator<void, number> {
  let size = 0;
  const add = (described: { readonly name: string; readonly description?: string | null | undefined }) => {
    size += CHARACTERS_EACH + described.name.length + (described.description?.length ?? 0);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    add(type);
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) {
        add(field);
        for (const argument of field.args) add(argument);
      }
    else if (isInputObjectType(type)) for (const field of Object.values(type.getFields())) add(field);
    else if (isEnumType(type)) for (const value of type.getValues()) add(value);
    yield;
  }
  for (const directive of schema.getDirectives()) {
    add(directive);
    for (const argument of directive.args) add(argument);
  }
  return size;
}
