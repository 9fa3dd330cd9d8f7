import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { boundedText, inThread, parseServiceJson, ThreadEnded } from '../../../platform/index.ts';
import { printSchema } from '../../graphql/schemas/index.ts';
import { schemaValidationProblems } from '../schema-problems.ts';
import { serviceMessage } from '../service-text.ts';
import type { SchemaLimits } from '../source.ts';
import { withoutRequiredDeprecations } from './introspection-features.ts';
import { checkIntrospection, checkSdl, SchemaTooLarge } from './schema-limits.ts';

/**
 * Larger responses are first read, checked and printed in a thread. Doing this for 512 KiB blocks a process for 50 ms,
 * about as long as a thread takes to start.
 */
const READ_IN_THREAD = 512 * 1024;
/** The thread's memory, in bytes for each byte of a response. `LEAST_MEMORY_MB` is its minimum. */
const MEMORY_PER_BYTE = 64;
const LEAST_MEMORY_MB = 256;
const MB = 1024 * 1024;
/**
 * The maximum number of characters quoted from a service, so that the whole message stays below the limit for service
 * messages.
 */
const MAX_SAID = 800;

/** The response to a schema query contains no usable schema. */
export class RefusedQueryError extends Error {
  constructor(
    message: string,
    /** The status of the response. */
    readonly status: number,
  ) {
    super(message);
    this.name = new.target.name;
  }
}

/** The service does not support the schema query. */
export class UnsupportedQueryError extends RefusedQueryError {}

/** A query for a schema. */
export type SchemaQuery =
  | {
      readonly kind: 'introspection';
      readonly what: string;
      /** Whether the query includes deprecated arguments and input fields. */
      readonly hasDeprecatedInputs: boolean;
    }
  | {
      readonly kind: 'sdl';
      readonly what: string;
      readonly path: readonly string[];
      /** The advice for the user if the service does not support the query. */
      readonly remedy: string;
    };

/** The result of checking a response in a thread. */
export type CheckedAnswer =
  | { readonly refusal: 'refused' | 'unsupported' | 'none'; readonly message: string }
  /** The problems of an invalid schema. SDL of subgraphs and stitched services is not validated here. */
  | { readonly problems: readonly string[]; readonly sdl: string };

/** A response with its decoded body. */
export interface AnsweredQuery {
  readonly status: number;
  readonly body: string;
}

/**
 * Extracts the SDL from a response.
 *
 * @throws RefusedQueryError if the response has no SDL.
 * @throws SchemaTooLarge
 * @throws Error if the service received too many requests.
 */
export async function sdlIn(
  response: AnsweredQuery,
  query: Extract<SchemaQuery, { kind: 'sdl' }>,
  limits: SchemaLimits,
): Promise<string> {
  if (response.body.length <= READ_IN_THREAD) return readSdl(response, query, limits);
  return (await checkedInThread(response, query, limits)).sdl;
}

export interface IntrospectedSchema {
  readonly query: IntrospectionQuery;
  /** The problems and the SDL of the schema. Undefined if the schema was not checked. */
  readonly checked?: { readonly problems: readonly string[]; readonly sdl: string };
}

/** Extracts the introspection result from a response. @throws the errors of `sdlIn`. */
export async function introspectionIn(
  response: AnsweredQuery,
  query: Extract<SchemaQuery, { kind: 'introspection' }>,
  limits: SchemaLimits,
): Promise<IntrospectedSchema> {
  if (response.body.length <= READ_IN_THREAD) return { query: readIntrospection(response, query, limits) };
  const checked = await checkedInThread(response, query, limits);
  // Parsing the text again is faster than transferring the parsed value from the thread.
  return { query: dataOf(response, query.what) as unknown as IntrospectionQuery, checked };
}

/** Builds the schema of an introspection result. */
export function schemaOf(query: IntrospectionQuery, hasDeprecatedInputs: boolean, isValid = false): GraphQLSchema {
  return buildClientSchema(hasDeprecatedInputs ? withoutRequiredDeprecations(query) : query, { assumeValid: isValid });
}

/** Checks a response. Runs in the thread. */
export function checkAnswer(response: AnsweredQuery, query: SchemaQuery, limits: SchemaLimits): CheckedAnswer {
  try {
    if (query.kind === 'sdl') return { problems: [], sdl: readSdl(response, query, limits) };
    const schema = schemaOf(readIntrospection(response, query, limits), query.hasDeprecatedInputs);
    const problems = schemaValidationProblems(schema);
    return { problems, sdl: problems.length > 0 ? '' : printSchema(schema) };
  } catch (error) {
    const refusal =
      error instanceof UnsupportedQueryError ? 'unsupported' : error instanceof RefusedQueryError ? 'refused' : 'none';
    return { refusal, message: serviceMessage((error as Error).message) };
  }
}

async function checkedInThread(
  { status, body }: AnsweredQuery,
  query: SchemaQuery,
  limits: SchemaLimits,
): Promise<Extract<CheckedAnswer, { sdl: string }>> {
  const memoryMb = Math.max(LEAST_MEMORY_MB, Math.ceil((body.length * MEMORY_PER_BYTE) / MB));
  const checked = await inThread<CheckedAnswer>(
    'gateway/sources/opening/schema-answer-worker.js',
    { response: { status, body }, query, limits },
    { maxOldGenerationSizeMb: memoryMb },
  ).catch((error: unknown) => {
    if (error instanceof ThreadEnded) throw new SchemaTooLarge('the schema requires too much memory');
    throw error;
  });
  if (!('refusal' in checked)) return checked;
  if (checked.refusal === 'unsupported') throw new UnsupportedQueryError(checked.message, status);
  throw checked.refusal === 'refused' ? new RefusedQueryError(checked.message, status) : new Error(checked.message);
}

function readSdl(
  response: AnsweredQuery,
  { what, path, remedy }: Extract<SchemaQuery, { kind: 'sdl' }>,
  limits: SchemaLimits,
): string {
  let found: unknown = dataOf(response, what, remedy);
  for (const name of path) found = (found as Data | null | undefined)?.[name];
  if (typeof found !== 'string')
    throw new UnsupportedQueryError(`the ${what} was rejected: the response has no SDL`, response.status);
  checkReadableSdl(found, limits);
  return found;
}

/** Only checks the limits. Invalid SDL is reported with its location where the SDL is used. */
function checkReadableSdl(sdl: string, limits: SchemaLimits): void {
  try {
    checkSdl(sdl, limits);
  } catch (error) {
    if (error instanceof SchemaTooLarge) throw error;
  }
}

function readIntrospection(
  response: AnsweredQuery,
  { what }: Extract<SchemaQuery, { kind: 'introspection' }>,
  limits: SchemaLimits,
): IntrospectionQuery {
  const data = dataOf(response, what) as Partial<IntrospectionQuery>;
  const missing = data.__schema ? 'are no types' : 'is no __schema';
  if (!Array.isArray(data.__schema?.types))
    throw new UnsupportedQueryError(`the ${what} was refused: there ${missing}`, response.status);
  const query = data as IntrospectionQuery;
  checkIntrospection(query, limits);
  return query;
}

type Data = Readonly<Record<string, unknown>>;

function dataOf({ status, body }: AnsweredQuery, what: string, remedy?: string): Data {
  let result: { data?: Data | null; errors?: { message?: unknown }[] } | null;
  try {
    result = parseServiceJson(body) as typeof result;
  } catch {
    const hint = status === 404 ? ': check the path of its URL' : '';
    throw failureOf(`the response to the ${what} is not JSON (status ${status})${hint}`, status);
  }
  if (result?.data) return result.data;
  const said = result?.errors?.[0]?.message;
  const reason =
    said === undefined || said === null
      ? `status ${status}, without data and errors: check the path of its URL`
      : boundedText(typeof said === 'string' ? said : 'an error without a message', MAX_SAID);
  const message = `the ${what} was refused: ${reason}`;
  // A failing server does not show which fields it has.
  if (status >= 500 || status === 429) throw failureOf(message, status);
  throw new UnsupportedQueryError(remedy ? `${message} (${remedy})` : message, status);
}

function failureOf(message: string, status: number): Error {
  return status === 429 ? new Error(message) : new RefusedQueryError(message, status);
}
