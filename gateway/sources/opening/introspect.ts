import { type GraphQLSchema, getIntrospectionQuery, type IntrospectionOptions } from 'graphql';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { type SchemaLimits, SourceError } from '../source.ts';
import { includesOptions, supportedOptions } from './introspection-features.ts';
import {
  type AnsweredQuery,
  type IntrospectedSchema,
  introspectionIn,
  RefusedQueryError,
  schemaOf,
} from './schema-answer.ts';
import { type IsKnown, sendSchemaQuery } from './schema-queries.ts';

/** The introspection query of the specification of 2018, which every service answers. */
const STANDARD: IntrospectionOptions = {};
const WHAT = 'introspection';

export interface Introspected {
  readonly schema: GraphQLSchema;
  /** Whether it lacks deprecated arguments and input fields, or which inputs are `@oneOf`: the service does not show them. */
  readonly hidesInputs: boolean;
  /** Its SDL, where it is known already. The schema is known to be valid then. */
  readonly sdl?: string;
}

interface IntrospectionAnswer extends IntrospectedSchema {
  /** What was asked for. */
  readonly options: IntrospectionOptions;
}

/**
 * Introspects a remote schema, with the configured headers and without a caller. The answer to the standard query shows,
 * by its types `__Type` and so on, what else the service can be asked for; it is asked for that then, and from then on at
 * once.
 */
export class Introspection {
  readonly #target: RemoteTarget;
  readonly #limits: SchemaLimits;
  #options = STANDARD;
  /** Whether a failing server could not be asked for all that it supports. */
  #isIncomplete = false;

  constructor(target: RemoteTarget, limits: SchemaLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  /**
   * @returns undefined where the response body is the same as the last one, which is then not parsed.
   * @throws SourceError when the schema is not valid; SchemaTooLarge; Error when there is no usable response; its message is for
   * logs and names no address.
   */
  async ask(isKnown: IsKnown): Promise<Introspected | undefined> {
    const first = await this.#first(isKnown);
    if (!first) return undefined;
    const { options, query, checked } = await this.#whole(first, isKnown);
    this.#options = options;
    const { problems = [], sdl } = checked ?? {};
    if (problems.length > 0) throw new SourceError(problems.map((problem) => `its schema is not valid: ${problem}`));
    return {
      schema: schemaOf(query, options.inputValueDeprecation === true, checked !== undefined),
      hidesInputs: !(options.inputValueDeprecation && options.oneOf),
      ...(sdl !== undefined && { sdl }),
    };
  }

  async #first(isKnown: IsKnown): Promise<IntrospectionAnswer | undefined> {
    const options = this.#options;
    try {
      const response = await this.#send(options);
      if (isKnown(response.body) && !this.#isIncomplete) return undefined;
      return await this.#answerOf(response, options);
    } catch (error) {
      if (options === STANDARD || !(error instanceof RefusedQueryError)) throw error;
      const answer = await this.#read(STANDARD, isKnown);
      // What it still supports, and refuses for now, is not to disappear from the graph.
      if (includesOptions(supportedOptions(answer.query), options)) throw error;
      return answer;
    }
  }

  /** An answer with all that the service supports, or the given one where it refuses that. */
  async #whole(first: IntrospectionAnswer, isKnown: IsKnown): Promise<IntrospectionAnswer> {
    const supported = supportedOptions(first.query);
    this.#isIncomplete = false;
    if (includesOptions(first.options, supported)) return first;
    try {
      return await this.#read(supported, isKnown);
    } catch (error) {
      if (!(error instanceof RefusedQueryError)) throw error;
      // Otherwise it is asked again when its schema has changed, not each time.
      this.#isIncomplete = error.status >= 500;
      return first;
    }
  }

  /** Reads an answer even if it is known; a usable one is known from then on. */
  async #read(options: IntrospectionOptions, isKnown: IsKnown): Promise<IntrospectionAnswer> {
    const response = await this.#send(options);
    const answer = await this.#answerOf(response, options);
    isKnown(response.body);
    return answer;
  }

  async #answerOf(response: AnsweredQuery, options: IntrospectionOptions): Promise<IntrospectionAnswer> {
    const hasDeprecatedInputs = options.inputValueDeprecation === true;
    const asked = { kind: 'introspection', what: WHAT, hasDeprecatedInputs } as const;
    return { options, ...(await introspectionIn(response, asked, this.#limits)) };
  }

  #send(options: IntrospectionOptions): Promise<AnsweredQuery> {
    const operation = { query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' };
    return sendSchemaQuery(this.#target, operation, WHAT, this.#limits);
  }
}
