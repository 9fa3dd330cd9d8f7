import type { PublicError } from '../../pipeline/index.ts';

/** A message of a client, in terms that both subprotocols share. */
export type ClientMessage =
  | { readonly type: 'init'; readonly payload: unknown }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: unknown }
  /** The client completes an operation. */
  | { readonly type: 'stop'; readonly id: string }
  | { readonly type: 'ping'; readonly answer: string }
  | { readonly type: 'pong' }
  /** The client closes the connection. */
  | { readonly type: 'terminate' };

/** How a connection ends: a close code, a reason, and a message before it where the protocol has one. */
export interface CloseFrame {
  readonly message?: string;
  readonly code: number;
  readonly reason: string;
}

/** One response object. */
export interface ResponseBody {
  readonly data?: unknown;
  readonly errors?: readonly PublicError[];
  /** The explanation, where the caller has asked for one and may. */
  readonly extensions?: unknown;
  /** All of it as JSON, where it is written once for several clients. */
  readonly text?: string;
}

/** A response object as JSON. */
export function jsonOf(body: ResponseBody): string {
  return body.text ?? JSON.stringify(body);
}

/** A WebSocket subprotocol: its messages and close frames. */
export interface Protocol {
  readonly name: string;
  /** Whether operations may come before the connection is acknowledged; they wait for it then. */
  readonly takesEarlyOperations: boolean;
  /** Undefined for an invalid message. */
  read(text: string): ClientMessage | undefined;
  acknowledge(): readonly string[];
  /** The protocol's keep-alive message, beside the WebSocket's pings. */
  readonly keepAlive: string | undefined;
  next(id: string, body: ResponseBody): string;
  error(id: string, errors: readonly PublicError[]): string;
  complete(id: string): string;
  /** `connection_init` was refused. */
  initRefused(error: PublicError): CloseFrame;
  initTimeout(): CloseFrame;
  /**
   * The reaction to an invalid message: a close frame, or a message with an error, after which the connection stays
   * open.
   */
  badMessage(): CloseFrame | { readonly complaint: string };
  /** An operation with the id of one that is running. */
  duplicate(id: string): CloseFrame | { readonly complaint: string };
}
