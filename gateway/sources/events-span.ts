import type { Span } from '../../platform/index.ts';
import type { OperationContext } from './operation-context.ts';
import type { EventConnection } from './source-events.ts';

/** The service that a stream of events comes from. */
interface EventsOrigin {
  readonly name: string;
  readonly kind: 'remote-schema' | 'action';
  readonly url: string;
  readonly protocol: string;
}

/** Starts the span of a source stream. The span ends with the connection. */
export function startEventsSpan(
  { name, kind, url, protocol }: EventsOrigin,
  { span }: OperationContext,
): Span | undefined {
  const stream = span?.startChild(`SUBSCRIBE ${name}`, 'client');
  if (!stream?.isRecording) return stream;
  const { hostname, port, protocol: scheme } = new URL(url);
  stream.setAttribute('portico.source.name', name);
  stream.setAttribute('portico.source.kind', kind);
  stream.setAttribute('portico.subscription.protocol', protocol);
  stream.setAttribute('server.address', hostname);
  stream.setAttribute('server.port', Number(port) || (scheme === 'wss:' || scheme === 'https:' ? 443 : 80));
  return stream;
}

/** The headers by which the service continues the trace, by name. */
export function traceContextOf(span: Span | undefined): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const headers = span?.headers ?? [];
  for (let at = 0; at < headers.length; at += 2) values[headers[at] as string] = headers[at + 1] as string;
  return values;
}

/** Ends the span when the connection is closed. The consumer closes it exactly once, however it ended. */
export function endingSpan(connection: EventConnection, span: Span | undefined): EventConnection {
  if (!span) return connection;
  return {
    pause: () => connection.pause(),
    resume: () => connection.resume(),
    close: () => {
      connection.close();
      span.end();
    },
  };
}
