import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { CacheCounts, type Done } from '../../platform/index.ts';
import { TooCostly, writeAnswer } from './answer-writer.ts';
import { introspectionTooCostly, tooManyIntrospectionsQueued } from './errors.ts';
import { KeptAnswers } from './kept-answers.ts';
import { type Question, questionKey, questionOf } from './question.ts';
import { schemaSize } from './schema-size.ts';

/** The bytes of `{"data":{…}}` in pieces, or a result with errors. */
export type IntrospectionAnswer = readonly Buffer[] | ExecutionResult;

type VariableValues = Readonly<Record<string, unknown>>;

/** An introspection that is ready to be answered any number of times. `done` is called once; nothing is thrown. */
export type PreparedIntrospection = (variables: VariableValues, done: Done<IntrospectionAnswer>) => void;

/** Answers introspections of one schema. */
export interface SchemaIntrospection {
  /** @param document the operation and the fragments that it uses, valid against the schema. */
  prepare(document: DocumentNode, operation: OperationDefinitionNode): PreparedIntrospection;
}

/** Milliseconds for which an answer is written before others go on. */
const SLICE_MS = 4;
/** Answers that are being written at a time, and that wait to be. */
const MAX_AT_A_TIME = 4;
const MAX_WAITING_INTROSPECTIONS = 100;
/**
 * Characters that may be written for one answer: this many, and so many times what the standard query's answer has. That
 * answer's own take between four and five times, because objects within objects are counted at each level.
 */
const BASE_BUDGET = 4_000_000;
const BUDGET_FACTOR = 16;

/** An introspection result that is being written. */
interface IntrospectionJob {
  readonly steps: Generator<void, IntrospectionAnswer>;
  readonly finish: Done<IntrospectionAnswer>;
}

/**
 * Answers introspections of the schemas of one generation, from cached bytes where the same was asked before. Others are
 * written in slices of a few milliseconds, so that a large schema does not block the event loop; concurrent requests for
 * the same answer share it.
 */
export class Introspections {
  readonly counts = new CacheCounts();
  readonly #kept = new KeptAnswers();
  /** The callbacks that wait for a result, by its key. */
  readonly #awaited = new Map<string, Done<IntrospectionAnswer>[]>();
  readonly #jobs: IntrospectionJob[] = [];
  readonly #waiting: IntrospectionJob[] = [];
  #isWorking = false;
  #schemas = 0;

  /** How many results are cached. */
  get kept(): number {
    return this.#kept.size;
  }

  of(schema: GraphQLSchema): SchemaIntrospection {
    this.#schemas += 1;
    const prefix = `${this.#schemas} `;
    const budget = budgetOf(schema);
    return {
      prepare: (document, operation) => {
        const question = questionOf(document, operation);
        return (variables, done) => {
          const key = prefix + questionKey(question, variables);
          const known = this.#kept.get(key);
          if (known) {
            this.counts.hits++;
            done(known);
          } else {
            this.counts.misses++;
            this.#ask(key, answerSteps(schema, question, variables, budget), done);
          }
        };
      },
    };
  }

  #ask(key: string, steps: IntrospectionJob['steps'], done: Done<IntrospectionAnswer>): void {
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
    const finish: Done<IntrospectionAnswer> = (answer) => {
      this.#awaited.delete(key);
      if (Array.isArray(answer)) this.#kept.keep(key, answer);
      for (const one of awaiting)
        try {
          one(answer);
        } catch (error) {
          // One receiver that throws must not keep the answer from the others.
          process.emitWarning(`an answer to an introspection could not be handed over: ${String(error)}`);
        }
    };
    const job = { steps, finish };
    if (this.#jobs.length < MAX_AT_A_TIME) this.#jobs.push(job);
    else this.#waiting.push(job);
    if (!this.#isWorking) void this.#work();
  }

  /** Works on each answer for a slice in turn. The first slice is worked at once: most answers need no more. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      for (let job = this.#jobs.shift(); job; job = this.#jobs.shift()) {
        const answer = workOn(job.steps, performance.now() + SLICE_MS);
        if (answer) {
          const next = this.#waiting.shift();
          if (next) this.#jobs.push(next);
          job.finish(answer);
        } else this.#jobs.push(job);
        if (this.#jobs.length > 0) await setImmediate();
      }
    } finally {
      this.#isWorking = false;
    }
  }
}

/** @returns undefined when the slice ended before the result was complete. */
function workOn(steps: IntrospectionJob['steps'], until: number): IntrospectionAnswer | undefined {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() >= until) return undefined;
  }
}

function* answerSteps(
  schema: GraphQLSchema,
  question: Question,
  variables: VariableValues,
  budget: () => Generator<void, number>,
): Generator<void, IntrospectionAnswer> {
  try {
    return yield* writeAnswer(schema, question, variables, yield* budget());
  } catch (error) {
    if (error instanceof TooCostly) return introspectionTooCostly();
    // A resolver failed. graphql-js reports which one, and where.
    return answerByExecution(schema, question, variables);
  }
}

function answerByExecution(
  schema: GraphQLSchema,
  { document }: Question,
  variables: VariableValues,
): IntrospectionAnswer {
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
