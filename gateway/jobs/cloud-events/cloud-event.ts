/**
 * The value of an attribute. An extension attribute may also be a boolean or an integer (CloudEvents 1.0.2, section "Type
 * System").
 */
export type EventAttributeValue = string | number | boolean;

/** The data of an event, as JSON text or as bytes in base64. */
export type EventData = { readonly json: string } | { readonly base64: string };

/** A CloudEvent of version 1.0 with validated attributes. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** All attributes by name, including `id`, `source` and `type`, in the order in which they were sent. */
  readonly attributes: ReadonlyMap<string, EventAttributeValue>;
  readonly data: EventData | undefined;
}

/** Content type of an event in the JSON format (CloudEvents JSON Event Format 1.0.2, section 3). */
export const STRUCTURED_JSON = 'application/cloudevents+json; charset=utf-8';

/** Serializes the event in the JSON format. The data is the text that was sent. */
export function structuredJson({ attributes, data }: CloudEvent): string {
  const members = [...attributes].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  if (data) members.push('json' in data ? `"data":${data.json}` : `"data_base64":${JSON.stringify(data.base64)}`);
  return `{${members.join(',')}}`;
}

/** Returns the event with a new value for one attribute. */
export function withAttribute(event: CloudEvent, name: string, value: EventAttributeValue): CloudEvent {
  return { ...event, attributes: new Map([...event.attributes, [name, value]]) };
}
