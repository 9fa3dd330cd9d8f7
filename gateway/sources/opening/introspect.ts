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

/** The introspection query of the 2018 specification, which every service supports. */
const STANDARD: IntrospectionOptions = {};
const WHAT = 'introspection';

export interface Introspected {
  readonly schema: GraphQLSchema;
  /**
   * Whether the schema lacks deprecated arguments and input fields or `@oneOf`, because the service does not show them.
   */
  readonly hidesInputs: boolean;
  /** The SDL if it is already known. In that case the schema is known to be valid. */
  readonly sdl?: string;
}

interface IntrospectionAnswer extends IntrospectedSchema {
  /** The options of the query. */
  readonly options: IntrospectionOptions;
}

/**
 * Introspects a remote schema with the configured headers and without a client. The response to the standard query
 * includes the introspection types (`__Type` and so on), which show the options that the service supports. A second
 * query then uses these options. Later introspections use them at once.
 */
export class Introspection {
  readonly #target: RemoteTarget;
  readonly #limits: SchemaLimits;
  #options = STANDARD;
  /** Whether a failing server refused the query with all supported options. */
  #isIncomplete = false;

  constructor(target: RemoteTarget, limits: SchemaLimits) {
    this.#target = target;
    this.#limits = limits;
  }

  /**
   * @returns undefined if the response body is the same as the last one, which is then not parsed.
   * @throws SourceError if the schema is not valid.
   * @throws SchemaTooLarge
   * @throws Error if there is no usable response. Its message is for logs and contains no address.
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
      // Elements that the service still supports but currently refuses must not disappear from the graph.
      if (includesOptions(supportedOptions(answer.query), options)) throw error;
      return answer;
    }
  }

  /** Repeats the introspection with all supported options. Returns the given response if the service refuses them. */
  async #whole(first: IntrospectionAnswer, isKnown: IsKnown): Promise<IntrospectionAnswer> {
    const supported = supportedOptions(first.query);
    this.#isIncomplete = false;
    if (includesOptions(first.options, supported)) return first;
    try {
      return await this.#read(supported, isKnown);
    } catch (error) {
      if (!(error instanceof RefusedQueryError)) throw error;
      // If the server did not fail, the query is only repeated when its schema has changed.
      this.#isIncomplete = error.status >= 500;
      return first;
    }
  }

  /** Reads a response even if it is known. From then on a usable response is known. */
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
