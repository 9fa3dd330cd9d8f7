import { hasRealDate } from '../../../platform/index.ts';
import type { CloudEvent, EventAttributeValue, EventData } from './cloud-event.ts';
import { invalidEvent } from './errors.ts';

/** CloudEvents 1.0.2, "Attribute Naming Convention". The specification advises against names of more than 20 characters. */
const ATTRIBUTE_NAME = /^[a-z0-9]{1,20}$/;
/** The control characters and noncharacters that a string attribute must not contain (section "Type System"). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\ufdd0-\ufdef\ufffe\uffff]/;
/** The characters of a URI reference (RFC 3986 section 2). The receiver of the event checks how they are combined. */
const URI_REFERENCE = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const DATA_CONTENT_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/;
/** RFC 3339 section 5.6. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:Z|[+-]\d\d:\d\d)$/i;

/** The most characters of one attribute. */
const MAX_ATTRIBUTE_LENGTH = 1_024;
const MAX_ATTRIBUTES = 64;
const MAX_INT32 = 2_147_483_647;

/**
 * Creates an event from attributes as they were sent. Attributes that are null are left out.
 *
 * @throws GatewayError 400 `validation-failed` if the attributes are not those of a CloudEvent of version 1.0.
 */
export function checkedEvent(sent: ReadonlyMap<string, unknown>, data: EventData | undefined): CloudEvent {
  if (sent.size > MAX_ATTRIBUTES) throw invalidEvent(`an event has ${MAX_ATTRIBUTES} attributes at most`);
  if (sent.get('specversion') !== '1.0') throw invalidEvent('expected the specversion "1.0"', 'specversion');
  const attributes = new Map<string, EventAttributeValue>();
  for (const [name, value] of sent) {
    // The error does not repeat an invalid name, since it may be long or contain anything.
    if (!ATTRIBUTE_NAME.test(name) || name === 'data')
      throw invalidEvent('names of attributes have 1 to 20 lower-case letters and digits');
    if (value === null) continue;
    attributes.set(name, checkedValue(name, value));
  }
  const required = (name: 'id' | 'source' | 'type'): string => {
    const value = attributes.get(name);
    if (value === undefined) throw invalidEvent(`the attribute ${name} is missing`, name);
    return value as string;
  };
  return { id: required('id'), source: required('source'), type: required('type'), attributes, data };
}

/** Attributes that the specification defines as strings. */
const STRINGS = new Set(['specversion', 'id', 'source', 'type', 'datacontenttype', 'dataschema', 'subject', 'time']);

function checkedValue(name: string, value: unknown): EventAttributeValue {
  if (typeof value === 'string') return checkedText(name, value);
  if (STRINGS.has(name)) throw invalidEvent(`the attribute ${name} is a string`, name);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= -MAX_INT32 - 1 && value <= MAX_INT32)
    return value;
  throw invalidEvent('an extension attribute is a string, a boolean or an integer of 32 bits', name);
}

function checkedText(name: string, value: string): string {
  if (value.length > MAX_ATTRIBUTE_LENGTH)
    throw invalidEvent(`an attribute has ${MAX_ATTRIBUTE_LENGTH} characters at most`, name);
  if (FORBIDDEN.test(value) || !value.isWellFormed())
    throw invalidEvent('an attribute must be valid Unicode without control characters', name);
  const problem = textProblem(name, value);
  if (problem) throw invalidEvent(problem, name);
  return value;
}

function textProblem(name: string, value: string): string | undefined {
  if (value === '' && STRINGS.has(name)) return `the attribute ${name} is not empty`;
  switch (name) {
    case 'source':
      return URI_REFERENCE.test(value) ? undefined : 'the source is a URI reference';
    case 'dataschema':
      return URI_REFERENCE.test(value) && URI.test(value) ? undefined : 'the dataschema is a URI';
    case 'time':
      return isTimestamp(value) ? undefined : 'the time is one of RFC 3339';
    case 'datacontenttype':
      return DATA_CONTENT_TYPE.test(value) ? undefined : 'the datacontenttype is a media type';
    default:
      return undefined;
  }
}

/** Leap seconds are accepted: `Date` cannot represent them, so second 60 is checked as second 59. */
function isTimestamp(text: string): boolean {
  const time = text.replace(/(?<=^.{17})60/, '59');
  return TIMESTAMP.test(text) && hasRealDate(text) && !Number.isNaN(Date.parse(time));
}
