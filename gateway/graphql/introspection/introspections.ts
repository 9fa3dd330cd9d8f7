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

/** A compiled introspection that can be executed any number of times. Never throws. Calls `done` once. */
export type PreparedIntrospection = (variables: VariableValues, done: Done<IntrospectionResult>) => void;

/** Executes introspections of one schema. */
export interface SchemaIntrospection {
  /** @param document the operation and the fragments that it uses, valid for the schema. */
  prepare(document: DocumentNode, operation: OperationDefinitionNode): PreparedIntrospection;
}

/** The time in milliseconds for which a result is written before other work continues. */
const SLICE_MS = 4;
/** The maximum number of results that are written concurrently. `MAX_WAITING_INTROSPECTIONS` limits the queue. */
const MAX_AT_A_TIME = 4;
const MAX_WAITING_INTROSPECTIONS = 100;
/**
 * The maximum number of characters of one result: the base plus a multiple of the standard query's result. Writing the
 * standard result itself takes four to five times its size, because nested objects are counted at each level.
 */
const BASE_BUDGET = 4_000_000;
const BUDGET_FACTOR = 16;

/** An introspection result that is being written. */
interface IntrospectionJob {
  readonly steps: Generator<void, IntrospectionResult>;
  readonly finish: Done<IntrospectionResult>;
}

/**
 * Executes introspections of one generation's schemas. Cached results are not written again. Other results are written
 * in slices of a few milliseconds, so that a large schema does not block the event loop. Concurrent requests for the
 * same result share it.
 */
export class Introspections {
  readonly counts = new CacheCounts();
  readonly #cache = new ResultCache();
  /** The callbacks that wait for a result, by the result's key. */
  readonly #awaited = new Map<string, Done<IntrospectionResult>[]>();
  readonly #jobs: IntrospectionJob[] = [];
  readonly #waiting: IntrospectionJob[] = [];
  #isWorking = false;
  #schemas = 0;

  /** The number of cached results. */
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
          // If a callback throws, the others must still get the result.
          process.emitWarning(`an answer to an introspection could not be handed over: ${String(error)}`);
        }
    };
    const job = { steps, finish };
    if (this.#jobs.length < MAX_AT_A_TIME) this.#jobs.push(job);
    else this.#waiting.push(job);
    if (!this.#isWorking) void this.#work();
  }

  /**
   * Writes the results in turn, one slice at a time. The first slice is written immediately; most results need only
   * one.
   */
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

/** @returns undefined if the slice ended before the result was complete. */
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
    // A resolver failed. graphql-js reports the resolver and its path.
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

/** The maximum number of characters of a schema's introspection result. Computed once. */
function budgetOf(schema: GraphQLSchema): () => Generator<void, number> {
  let known: number | undefined;
  return function* () {
    known ??= BASE_BUDGET + BUDGET_FACTOR * (yield* schemaSize(schema));
    return known;
  };
}

/** The queue of introspections is full. */
function tooManyIntrospectionsQueued(): ExecutionResult {
  return errorResult('too many introspections are waiting; try again later', 'service-unavailable');
}

/** The introspection's result would be much larger than that of the standard query. */
function introspectionTooCostly(): ExecutionResult {
  return errorResult(
    'the introspection requests more than is needed to read the schema',
    'introspection-limit-exceeded',
  );
}

function errorResult(message: string, code: string): ExecutionResult {
  return { data: null, errors: [new GraphQLError(message, { extensions: { code } })] };
}

/** The maximum number and total bytes of cached results for all roles together. */
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

  /** Caches a result unless it is larger than half of the limit. */
  keep(key: string, result: readonly Buffer[]): void {
    const bytes = result.reduce((sum, { length }) => sum + length, 2 * key.length);
    this.#results.keep(key, result, [bytes]);
  }
}

/**
 * The approximate number of characters in the standard query's result for each type, field and argument, besides name
 * and description.
 */
const CHARACTERS_EACH = 250;

/**
 * Estimates the number of characters in the result of the standard introspection query. Yields at intervals, so that
 * other work can run.
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
