import type { Logger } from '../../platform/index.ts';
import type { Caller, Client } from '../use-cases/index.ts';

/** How an HTTP endpoint in front of this graph should answer, where that is not a plain 200. */
export interface HttpHint {
  status: number;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>>;
}

/** What the resolvers of one request share. */
export type GraphContext = {
  logger: Logger;
  client: Client;
  /** Undefined when the gateway named nobody. */
  caller: Caller | undefined;
  /** Set by the one authentication field of the operation; goes out as the response's `extensions.http`. */
  http?: HttpHint;
};
