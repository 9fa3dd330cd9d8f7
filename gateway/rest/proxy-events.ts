import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Options } from 'http-proxy-middleware';
import type { Logger } from '../../platform/index.ts';
import { GatewayError } from '../errors.ts';
import { refuseUpgrade, sendFlatError } from '../http/index.ts';

/** What http-proxy leaves to us of the two connections that a request to `service` runs over. */
export function proxyEvents(service: string, log: Logger): NonNullable<Options<IncomingMessage, ServerResponse>['on']> {
  const timedOut = new WeakSet<IncomingMessage>();
  const switched = new WeakSet<Socket>();
  return {
    proxyReq: (outgoing, request) => {
      outgoing.once('timeout', () => timedOut.add(request));
    },
    proxyRes: (answer, _, response) => {
      keepOwnCookies(answer, response);
      // What the service says of its connection to us is no matter of the client's.
      delete answer.headers['keep-alive'];
      answer.headers.connection = response.shouldKeepAlive ? 'keep-alive' : 'close';
      answer.once('close', () => {
        if (!answer.complete) response.destroy();
      });
    },
    proxyReqWs: (outgoing, _, socket) => {
      outgoing.once('upgrade', () => switched.add(socket));
      outgoing.once('response', (answer: IncomingMessage) => {
        // A refusal is written on as bare bytes, without chunks, and ends with the connection.
        delete answer.headers['transfer-encoding'];
        answer.headers.connection = 'close';
      });
    },
    error: (error, request, answer) => {
      log.warn({ service, reason: error.message }, 'a service did not answer');
      const refusal = timedOut.has(request)
        ? new GatewayError('unexpected', `the service "${service}" did not answer in time`, { status: 504 })
        : new GatewayError('unexpected', `the service "${service}" cannot be reached`, { status: 502 });
      if (answer instanceof ServerResponse) sendFlatError({ response: answer }, refusal);
      else if (switched.has(answer as Socket)) answer.destroy();
      else refuseUpgrade(request, answer as Socket, refusal);
    },
  };
}

// The service's cookies would take the place of those that whoever authenticated the caller has set.
function keepOwnCookies(answer: IncomingMessage, response: ServerResponse): void {
  const cookies = response.getHeader('set-cookie');
  if (Array.isArray(cookies)) answer.headers['set-cookie'] = [...cookies, ...(answer.headers['set-cookie'] ?? [])];
}
