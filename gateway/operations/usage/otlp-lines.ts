import { z } from 'zod';

/** The value of an attribute in OTLP's JSON, where integers are texts. */
const OTLP_VALUE = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z
    .object({ intValue: z.union([z.string().regex(/^\d{1,15}$/), z.number()]) })
    .transform(({ intValue }) => Number(intValue)),
  z
    .object({ arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })).default([]) }) })
    .transform(({ arrayValue }) => arrayValue.values.map(({ stringValue }) => stringValue)),
  z.unknown().transform(() => undefined),
]);
const OTLP_ATTRIBUTES = z
  .array(z.object({ key: z.string(), value: OTLP_VALUE }))
  .default([])
  .transform((all): Readonly<Record<string, unknown>> => Object.fromEntries(all.map(({ key, value }) => [key, value])));
const OTLP_RECORD = z.object({
  timeUnixNano: z.union([z.string().regex(/^\d{1,20}$/), z.number().min(0).max(1e20)]),
  eventName: z.string().optional(),
  attributes: OTLP_ATTRIBUTES,
});
const LOGS = z.object({
  resourceLogs: z.array(
    z.object({
      resource: z.object({ attributes: OTLP_ATTRIBUTES }).default({ attributes: {} }),
      scopeLogs: z.array(z.object({ logRecords: z.array(z.unknown()).default([]) })).default([]),
    }),
  ),
});

/**
 * Returns the lines of a usage file that log records represent. The input is an `ExportLogsServiceRequest` as JSON, as a
 * collector writes it to a file. Records of other events are left out.
 *
 * @returns undefined if the input is not such a request. An invalid record is undefined.
 */
export function linesOfLogs(parsed: unknown): readonly unknown[] | undefined {
  const { data } = LOGS.safeParse(parsed);
  return data?.resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) => logRecords.flatMap((record) => lineOfRecord(record, resource.attributes))),
  );
}

function lineOfRecord(sent: unknown, resource: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { data } = OTLP_RECORD.safeParse(sent);
  if (!data) return [undefined];
  const { eventName, timeUnixNano, attributes } = data;
  const to = new Date(Number(timeUnixNano) / 1e6).toISOString();
  const from = attributes['portico.usage.from'];
  const id = attributes['portico.usage.operation'];
  switch (eventName) {
    case 'portico.usage.period':
      return [{ kind: 'usage', version: 1, instance: resource['service.instance.id'], from, to }];
    case 'portico.usage.operation':
      return [
        {
          kind: 'operation',
          id,
          type: attributes['graphql.operation.type'],
          name: attributes['graphql.operation.name'],
          coordinates: attributes['portico.usage.coordinates'],
        },
      ];
    case 'portico.usage.uses':
      return [
        {
          kind: 'uses',
          operation: id,
          client: attributes['portico.client.name'],
          version: attributes['portico.client.version'],
          role: attributes['portico.role'],
          count: attributes['portico.usage.count'],
          errors: attributes['portico.usage.errors'],
          first: from,
          last: to,
        },
      ];
    default:
      return [];
  }
}
