import type { PublicError } from '../../pipeline/index.ts';

/** A client's message, in terms that both subprotocols share. */
export type ClientMessage =
  | { readonly type: 'init'; readonly payload: unknown }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: unknown }
  /** The client completes an operation. */
  | { readonly type: 'stop'; readonly id: string }
  | { readonly type: 'ping'; readonly answer: string }
  | { readonly type: 'pong' }
  /** The client closes the connection. */
  | { readonly type: 'terminate' };

/** The end of a connection: a close code, a reason, and a preceding message if the protocol has one. */
export interface CloseFrame {
  readonly message?: string;
  readonly code: number;
  readonly reason: string;
}

/** A response object. */
export interface ResponseBody {
  readonly data?: unknown;
  readonly errors?: readonly PublicError[];
  /** The explanation, if the caller asked for it and may see it. */
  readonly extensions?: unknown;
  /** The whole object as JSON, if it is serialized once for several clients. */
  readonly text?: string;
}

/** Returns a response object as JSON. */
export function jsonOf(body: ResponseBody): string {
  return body.text ?? JSON.stringify(body);
}

/** A WebSocket subprotocol: its messages and close frames. */
export interface Protocol {
  readonly name: string;
  /** Whether operations may arrive before the connection is acknowledged. If so, they wait for it. */
  readonly takesEarlyOperations: boolean;
  /** Returns undefined for an invalid message. */
  read(text: string): ClientMessage | undefined;
  acknowledge(): readonly string[];
  /** The protocol's keep-alive message, in addition to the WebSocket's pings. */
  readonly keepAlive: string | undefined;
  next(id: string, body: ResponseBody): string;
  error(id: string, errors: readonly PublicError[]): string;
  complete(id: string): string;
  /** The response to a refused `connection_init`. */
  initRefused(error: PublicError): CloseFrame;
  initTimeout(): CloseFrame;
  /** The response to an invalid message: a close frame, or an error message after which the connection stays open. */
  badMessage(): CloseFrame | { readonly complaint: string };
  /** The response to an operation whose id is in use. */
  duplicate(id: string): CloseFrame | { readonly complaint: string };
}
