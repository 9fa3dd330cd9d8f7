import type { Logger } from '../../platform/index.ts';
import type { CheckOperatorAssertion } from '../http/index.ts';
import type { RequestOrigin, SpentToken } from '../use-cases/index.ts';

/** How an HTTP endpoint in front of this graph should respond, if not with a plain 200. */
export interface HttpHint {
  status: number;
  /** Names are in lower case. */
  headers?: Readonly<Record<string, string>>;
}

/** The context of one request's resolvers. */
export type GraphContext = {
  logger: Logger;
  client: RequestOrigin;
  /** The request's bearer token, not verified yet. */
  accessToken: string | undefined;
  /** Undefined for a request without the gateway's assertion. */
  operatorAssertion: CheckOperatorAssertion | undefined;
  /** Called when the response contains the successor of a refresh token. */
  followDelivery: (token: SpentToken) => void;
  /** Set by the operation's only authentication field. It becomes the response's `extensions.http`. */
  http?: HttpHint;
};
