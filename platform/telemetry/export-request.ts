import { ProtobufWriter } from './protobuf-writer.ts';
import { type AttributeValue, writeAttribute } from './write-attribute.ts';

/** The resource and scope that precede the spans, metrics or log records of a request. */
export interface ExportHead {
  /** The encoded member `resource` of `ResourceSpans`, `ResourceMetrics` and `ResourceLogs`. */
  readonly resource: Uint8Array;
  /** The encoded member `scope` of `ScopeSpans`, `ScopeMetrics` and `ScopeLogs`. */
  readonly scope: Uint8Array;
}

export function exportHead(
  resource: Readonly<Record<string, AttributeValue>>,
  scope: { readonly name: string; readonly version: string },
): ExportHead {
  const resourceWriter = new ProtobufWriter(512);
  const ofResource = resourceWriter.open(1);
  for (const [key, value] of Object.entries(resource)) writeAttribute(resourceWriter, 1, key, value);
  resourceWriter.close(ofResource);
  const scopeWriter = new ProtobufWriter(128);
  const ofScope = scopeWriter.open(1);
  scopeWriter.text(1, scope.name);
  if (scope.version !== '') scopeWriter.text(2, scope.version);
  scopeWriter.close(ofScope);
  return { resource: resourceWriter.copy(), scope: scopeWriter.copy() };
}

/**
 * Returns an `ExportTraceServiceRequest`, `ExportMetricsServiceRequest` or `ExportLogsServiceRequest`. Their fields have the
 * same numbers.
 *
 * @param members the output of `writeSpan`, `writeMetricPoints` or `writeLogRecord`.
 */
export function exportRequest({ resource, scope }: ExportHead, members: Uint8Array): Uint8Array {
  const inside = scope.length + members.length;
  const inner = [...lengthDelimited(2, inside)];
  const head = [...lengthDelimited(1, resource.length + inner.length + inside)];
  return Buffer.concat([Uint8Array.from(head), resource, Uint8Array.from(inner), scope, members]);
}

function lengthDelimited(field: number, length: number): readonly number[] {
  const bytes = [(field << 3) | 2];
  let rest = length;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
