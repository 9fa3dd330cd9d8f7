import { GraphQLError } from 'graphql';
import { ADMINISTRATION_STATUS, ApiError, REFUSALS, type Refusal } from '../../errors.ts';
import type { LogEvent } from '../../http/index.ts';
import {
  AdministrationError,
  type AdministrationUseCase,
  type Administrator,
  HashQueueFullError,
  type IdentifyAdministrator,
  notAdministrator,
} from '../../use-cases/index.ts';
import type { GraphContext } from '../context.ts';
import { INVALID_TOKEN_CHALLENGE, type MutationResult, refusedResult } from '../mutation-result.ts';

/** The result of an administrator's mutation. */
export interface AdministrationResult<Data> extends MutationResult<Data> {
  /** Null on success. */
  error_code: string | null;
}

/** Creates resolvers from use cases. */
export function createResolve(identifyAdministrator: IdentifyAdministrator) {
  /** @throws AdministrationError, or ApiError without a valid token. */
  async function administratorOf(context: GraphContext, isChange: boolean): Promise<Administrator> {
    const { accessToken, operatorAssertion } = context;
    const credentials = { accessToken, operatorAssertion: operatorAssertion && (() => operatorAssertion(isChange)) };
    const identified = await identifyAdministrator(credentials, context.client);
    if (identified.outcome === 'administrator') return identified.administrator;
    if (identified.outcome === 'refused') throw notAdministrator();
    context.http = { status: REFUSALS.notLoggedIn.status, headers: INVALID_TOKEN_CHALLENGE };
    throw new ApiError('invalid-jwt');
  }

  return {
    /** Creates a query's resolver. A refusal is an error with the refusal's code. */
    query<Input, Value, Answer>(useCase: AdministrationUseCase<Input, Value>, answer: (value: Value) => Answer) {
      return async (_root: unknown, input: Input, context: GraphContext): Promise<Answer> => {
        try {
          return answer(await useCase(await administratorOf(context, false), input));
        } catch (error) {
          if (!(error instanceof AdministrationError)) throw error;
          context.http = { status: ADMINISTRATION_STATUS[error.code] };
          throw new GraphQLError(error.message, { extensions: { code: error.code } });
        }
      };
    },

    /** Creates a mutation's resolver. A refusal is a result. */
    mutation<Input, Value, Data>(useCase: AdministrationUseCase<Input, Value>, answer: (value: Value) => Data) {
      return async (
        _root: unknown,
        { data }: { data: Input },
        context: GraphContext,
        { fieldName: field }: { fieldName: string },
      ): Promise<AdministrationResult<Data>> => {
        const log = (event: LogEvent, outcome: string) =>
          context.logger.info({ event, field, outcome }, 'administration');
        try {
          const value = await useCase(await administratorOf(context, true), data);
          log('administration.completed', 'success');
          return { success: true, error_code: null, error_message: null, data: answer(value) };
        } catch (error) {
          const refused = refusalOf(error);
          if (!refused) throw error;
          log('administration.refused', refused.code);
          return { ...refusedResult(context, refused, refused.headers), error_code: refused.code };
        }
      };
    },
  };
}

/** Returns undefined for an error that the caller did not cause. */
function refusalOf(error: unknown): (Refusal & { code: string; headers?: Record<string, string> }) | undefined {
  if (error instanceof AdministrationError)
    return { code: error.code, status: ADMINISTRATION_STATUS[error.code], message: error.message };
  if (error instanceof HashQueueFullError) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) };
    return { ...REFUSALS.hashQueueFull, code: 'busy', headers };
  }
  if (error instanceof ApiError && error.code === 'invalid-jwt')
    return { ...REFUSALS.notLoggedIn, code: error.code, headers: INVALID_TOKEN_CHALLENGE };
  return undefined;
}
