import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionOptions,
  type IntrospectionQuery,
} from 'graphql';
import type { UpstreamResponse } from '../../upstream/index.ts';
import type { RemoteTarget } from '../remote-schema/index.ts';
import { includesOptions, supportedOptions, withoutRequiredDeprecations } from './introspection-features.ts';
import {
  type IsKnown,
  RefusedQueryError,
  schemaData,
  sendSchemaQuery,
  UnsupportedQueryError,
} from './schema-queries.ts';

/** The introspection query of the specification of 2018, which every service answers. */
const STANDARD: IntrospectionOptions = {};

export interface Introspected {
  readonly schema: GraphQLSchema;
  /** Whether it lacks deprecated arguments and input fields, or which inputs are `@oneOf`: the service does not show them. */
  readonly hidesInputs: boolean;
}

interface IntrospectionAnswer {
  /** What was asked for. */
  readonly options: IntrospectionOptions;
  readonly query: IntrospectionQuery;
}

/**
 * Introspects a remote schema, with the configured headers and without a caller. The answer to the standard query shows,
 * by its types `__Type` and so on, what else the service can be asked for; it is asked for that then, and from then on at
 * once.
 */
export class Introspection {
  readonly #target: RemoteTarget;
  #options = STANDARD;
  /** Whether a failing server could not be asked for all that it supports. */
  #isIncomplete = false;

  constructor(target: RemoteTarget) {
    this.#target = target;
  }

  /**
   * @returns undefined where the response body is the same as the last one, which is then not parsed.
   * @throws Error when there is no usable response; its message is for logs and names no address.
   */
  async ask(isKnown: IsKnown): Promise<Introspected | undefined> {
    const first = await this.#first(isKnown);
    if (!first) return undefined;
    const { options, query } = await this.#whole(first, isKnown);
    this.#options = options;
    return {
      schema: buildClientSchema(options.inputValueDeprecation ? withoutRequiredDeprecations(query) : query),
      hidesInputs: !(options.inputValueDeprecation && options.oneOf),
    };
  }

  async #first(isKnown: IsKnown): Promise<IntrospectionAnswer | undefined> {
    const options = this.#options;
    try {
      const response = await this.#send(options);
      if (isKnown(response.body) && !this.#isIncomplete) return undefined;
      return { options, query: introspectionIn(response) };
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
    const query = introspectionIn(response);
    isKnown(response.body);
    return { options, query };
  }

  #send(options: IntrospectionOptions): Promise<UpstreamResponse> {
    return sendSchemaQuery(this.#target, getIntrospectionQuery(options), 'IntrospectionQuery');
  }
}

function introspectionIn(response: UpstreamResponse): IntrospectionQuery {
  const data = schemaData(response, 'introspection') as Partial<IntrospectionQuery>;
  const missing = data.__schema ? 'are no types' : 'is no __schema';
  if (!Array.isArray(data.__schema?.types))
    throw new UnsupportedQueryError(`the introspection was refused: there ${missing}`, response.status);
  return data as IntrospectionQuery;
}
