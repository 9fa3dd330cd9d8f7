import type { Logger } from '../../platform/index.ts';
import type { CheckOperatorAssertion } from '../http/index.ts';
import type { RequestOrigin, SpentToken } from '../use-cases/index.ts';

/** How an HTTP endpoint in front of this graph should answer, where that is not a plain 200. */
export interface HttpHint {
  status: number;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>>;
}

/** The context of one request's resolvers. */
export type GraphContext = {
  logger: Logger;
  client: RequestOrigin;
  /** The bearer token of the request, not judged yet. */
  accessToken: string | undefined;
  /** Undefined for a request without an assertion of the gateway. */
  operatorAssertion: CheckOperatorAssertion | undefined;
  /** Called when the response carries the successor of a refresh token. */
  followDelivery: (token: SpentToken) => void;
  /** Set by the one authentication field of the operation; becomes the response's `extensions.http`. */
  http?: HttpHint;
};
