import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { PROPAGATION_HEADERS } from '../../../platform/index.ts';
import type { IncomingRequest, OperationSpan, OperationSpans } from '../../transports/http/index.ts';
import { addRecord, type RequestSpansOptions, trustsCaller } from './request-spans.ts';

export interface SocketSpans {
  /** Starts the span of a WebSocket that is relayed to a service. The span ends with the connection. */
  passedOn(incoming: IncomingRequest, socket: Socket, route: string | undefined): void;
  /** Each operation over a WebSocket of `/v1/graphql` has its own trace, however long the connection lasts. */
  readonly operations: OperationSpans;
}

export function socketSpans(options: RequestSpansOptions): SocketSpans {
  const { telemetry } = options;
  return {
    passedOn: (incoming, socket, route) => {
      const { headers } = incoming.request;
      const isTrusted = trustsCaller(options, incoming.request);
      const span = telemetry.tracer?.startRequest({ name: 'GET', headers, isTrusted });
      if (!span) return;
      for (const name of PROPAGATION_HEADERS) if (headers[name] !== undefined) delete headers[name];
      incoming.span = span;
      span.setAttribute('http.request.method', 'GET');
      span.setAttribute('network.protocol.name', 'websocket');
      if (route !== undefined) {
        span.setName(`GET ${route}`);
        span.setAttribute('http.route', route);
      }
      socket.once('close', () => span.end());
    },
    operations: {
      get isOn() {
        return telemetry.tracer !== undefined;
      },
      begin: (incoming, context) => beginOperation(options, incoming, context),
    },
  };
}

function beginOperation(
  options: RequestSpansOptions,
  incoming: IncomingRequest,
  context: IncomingHttpHeaders,
): OperationSpan | undefined {
  const isTrusted = trustsCaller(options, incoming.request);
  const span = options.telemetry.tracer?.startRequest({ name: 'operation', headers: context, isTrusted });
  if (!span) return undefined;
  return {
    span,
    end: (record) => {
      const [operation] = record?.operations ?? [];
      if (operation) span.setName(operation.operation);
      span.setAttribute('network.protocol.name', 'websocket');
      if (record) addRecord(span, record);
      span.end();
    },
  };
}
