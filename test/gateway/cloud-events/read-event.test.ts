import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GatewayError } from '../../../gateway/errors.ts';
import { type CloudEvent, readEvent, structuredJson, withAttribute } from '../../../gateway/jobs/cloud-events/index.ts';
import { codePoint } from '../../code-point.ts';

const STRUCTURED = 'application/cloudevents+json';
const REQUIRED = { specversion: '1.0', id: 'a-1', source: '/orders', type: 'com.example.order.created' };

/** An event in structured mode, as text or as a value. */
function structured(event: unknown, contentType = STRUCTURED): CloudEvent {
  const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
  return readEvent({ rawHeaders: ['Content-Type', contentType], body });
}

/** An event in binary mode. Header values are bytes, a character each. */
function binary(headers: readonly string[], body: string | Buffer = '', contentType?: string): CloudEvent {
  const type = contentType === undefined ? [] : ['Content-Type', contentType];
  return readEvent({ rawHeaders: [...type, ...headers], body: Buffer.from(body) });
}

const required = Object.entries(REQUIRED).flatMap(([name, value]) => [`ce-${name}`, value]);

/** The status, code and path of a refusal. */
function refusalOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.status} ${error.code} ${error.path}`;
    throw error;
  }
  return 'none';
}

describe('an event in structured mode', () => {
  test('has its attributes, and its data as they were written', () => {
    const event = structured(
      `{"specversion":"1.0","id":"a-1","source":"/orders","type":"t","tenantid":7,"flag":true,"subject":null,
        "data": {"big": 9007199254740993.10, "text": "ü\\u0000]}", "list": [1, {"a": "}"}]} }`,
    );
    expect([event.id, event.source, event.type]).toEqual(['a-1', '/orders', 't']);
    expect(Object.fromEntries(event.attributes)).toEqual({ ...REQUIRED, type: 't', tenantid: 7, flag: true });
    expect(structuredJson(event)).toBe(
      '{"specversion":"1.0","id":"a-1","source":"/orders","type":"t","tenantid":7,"flag":true,' +
        '"data":{"big": 9007199254740993.10, "text": "ü\\u0000]}", "list": [1, {"a": "}"}]}}',
    );
  });

  test.each([
    ['null', '"data":null'],
    ['a number', '"data":1'],
    ['a text', '"data":"a \\"b\\" \\\\"'],
    ['bytes', '"data_base64":"AP8="'],
    ['nothing', ''],
  ])('may have as data %s', (_, member) => {
    const text = `{"specversion":"1.0","id":"1","source":"s","type":"t"${member && `,${member}`}}`;
    expect(structuredJson(structured(text))).toBe(text);
  });

  test('is UTF-8, with a byte order mark or without', () => {
    for (const type of [STRUCTURED, `${STRUCTURED}; charset=utf-8`, 'Application/CloudEvents+JSON;charset="UTF-8"'])
      expect(structured(`\ufeff${JSON.stringify(REQUIRED)}`, type).id).toBe('a-1');
  });

  test.each<[what: string, event: unknown, refusal: string]>([
    ['no JSON', '{', '400 invalid-json $'],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"a":"\xff"}', 'latin1').toString('latin1'),
      '400 validation-failed $.specversion',
    ],
    ['a list', [REQUIRED], '400 validation-failed $'],
    ['null', null, '400 validation-failed $'],
    ['another version', { ...REQUIRED, specversion: '0.3' }, '400 validation-failed $.specversion'],
    ['a version that is a number', { ...REQUIRED, specversion: 1 }, '400 validation-failed $.specversion'],
    ['no id', { ...REQUIRED, id: undefined }, '400 validation-failed $.id'],
    ['an id that is null', { ...REQUIRED, id: null }, '400 validation-failed $.id'],
    ['an empty id', { ...REQUIRED, id: '' }, '400 validation-failed $.id'],
    ['an id that is a number', { ...REQUIRED, id: 7 }, '400 validation-failed $.id'],
    ['an id with a line break', { ...REQUIRED, id: 'a\r\nx-evil: 1' }, '400 validation-failed $.id'],
    ['an id with a NUL', { ...REQUIRED, id: 'a\u0000' }, '400 validation-failed $.id'],
    ['half a character', `{"specversion":"1.0","id":"\\ud800","source":"s","type":"t"}`, '400 validation-failed $.id'],
    ['a noncharacter', { ...REQUIRED, id: 'a\uffff' }, '400 validation-failed $.id'],
    ['a long id', { ...REQUIRED, id: 'x'.repeat(1_025) }, '400 validation-failed $.id'],
    ['a source with a space', { ...REQUIRED, source: '/a b' }, '400 validation-failed $.source'],
    ['a source with a bad escape', { ...REQUIRED, source: '/a%zz' }, '400 validation-failed $.source'],
    ['a time that is none', { ...REQUIRED, time: 'yesterday' }, '400 validation-failed $.time'],
    ['a day that is none', { ...REQUIRED, time: '2026-13-45T00:00:00Z' }, '400 validation-failed $.time'],
    ['a day that its month has not', { ...REQUIRED, time: '2026-02-30T00:00:00Z' }, '400 validation-failed $.time'],
    ['an hour that is none', { ...REQUIRED, time: '2026-02-20T24:00:00Z' }, '400 validation-failed $.time'],
    ['a relative schema', { ...REQUIRED, dataschema: 'schema' }, '400 validation-failed $.dataschema'],
    [
      'a content type that is none',
      { ...REQUIRED, datacontenttype: 'json' },
      '400 validation-failed $.datacontenttype',
    ],
    ['an object as an extension', { ...REQUIRED, tenantid: { a: 1 } }, '400 validation-failed $.tenantid'],
    ['a list as an extension', { ...REQUIRED, tenantid: ['1', '2'] }, '400 validation-failed $.tenantid'],
    ['a fraction as an extension', { ...REQUIRED, part: 0.5 }, '400 validation-failed $.part'],
    ['a large number as an extension', { ...REQUIRED, part: 2 ** 31 }, '400 validation-failed $.part'],
    ['a name in upper case', { ...REQUIRED, tenantId: '1' }, '400 validation-failed $'],
    ['a name of an object’s own', `{"__proto__":{"id":"x"},"specversion":"1.0"}`, '400 validation-failed $'],
    ['a long name', { ...REQUIRED, ['x'.repeat(21)]: '1' }, '400 validation-failed $'],
    [
      'a tenant twice',
      `{"specversion":"1.0","id":"1","source":"s","type":"t","tenantid":"1","tenantid":"2"}`,
      '400 bad-request $',
    ],
    [
      'a name twice, once escaped',
      `{"specversion":"1.0","id":"1","source":"s","type":"t","id":"2","\\u0069d":"3"}`,
      '400 bad-request $',
    ],
    [
      'data twice',
      `{"specversion":"1.0","id":"1","source":"s","type":"t","data":1,"data_base64":"AA=="}`,
      '400 bad-request $',
    ],
    ['base64 that is none', { ...REQUIRED, data_base64: 'a' }, '400 validation-failed $.data_base64'],
    ['base64 that is no text', { ...REQUIRED, data_base64: 7 }, '400 validation-failed $.data_base64'],
    ['JSON that is too deep', `{"data":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, '400 parse-failed $'],
    [
      'many attributes',
      Object.fromEntries([...Object.entries(REQUIRED), ...Array.from({ length: 70 }, (_, i) => [`a${i}`, 1])]),
      '400 validation-failed $',
    ],
  ])('is refused with %s', (_, event, refusal) => {
    expect(refusalOf(() => structured(event))).toBe(refusal);
  });

  test.each([
    'application/cloudevents',
    'application/cloudevents+xml',
    'application/cloudevents+avro',
    'application/cloudevents+json; charset=utf-16',
    'application/cloudevents-batch+json',
  ])('is refused as %s', (type) => {
    expect(refusalOf(() => structured(REQUIRED, type))).toBe('415 unsupported-media-type $');
  });

  test('is refused where there are two content types: readers would choose differently', () => {
    const rawHeaders = ['Content-Type', STRUCTURED, 'content-type', 'text/plain', ...required];
    expect(refusalOf(() => readEvent({ rawHeaders, body: Buffer.from(JSON.stringify(REQUIRED)) }))).toBe(
      '400 bad-request $',
    );
  });

  test('takes nothing from headers', () => {
    const rawHeaders = ['Content-Type', STRUCTURED, 'ce-tenantid', '2', 'ce-id', 'other'];
    const event = readEvent({ rawHeaders, body: Buffer.from(JSON.stringify({ ...REQUIRED, tenantid: '1' })) });
    expect([event.id, event.attributes.get('tenantid')]).toEqual(['a-1', '1']);
  });
});

describe('an event in binary mode', () => {
  test('has its attributes from headers and its data from the body, as they are', () => {
    const event = binary(['CE-TenantID', '7', ...required], ' {"a": 1.0}\n', 'application/json; charset=utf-8');
    expect(structuredJson(event)).toBe(
      '{"tenantid":"7","specversion":"1.0","id":"a-1","source":"/orders","type":"com.example.order.created",' +
        '"datacontenttype":"application/json; charset=utf-8","data":{"a": 1.0}}',
    );
  });

  test.each([
    ['application/problem+json', '[1]', '"data":[1]'],
    ['text/plain', 'ü', `"data_base64":"${Buffer.from('ü').toString('base64')}"`],
    ['application/octet-stream', Buffer.from([0, 255]), '"data_base64":"AP8="'],
  ])('may have data of the type %s', (type, body, member) => {
    expect(structuredJson(binary(required, body, type))).toContain(member);
  });

  test('may have no data', () => {
    expect(binary(required).data).toBeUndefined();
    expect(binary(required, '', 'application/json').attributes.has('datacontenttype')).toBe(false);
  });

  test.each<[header: string, value: string]>([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['Euro%20%e2%82%ac', 'Euro €'],
    ['%41', 'A'],
    ['%2541', '%41'],
    ['"a b"', 'a b'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    ['"%41"', 'A'],
    ['a"b', 'a"b'],
    [Buffer.from('ü').toString('latin1'), 'ü'],
  ])('decodes %s', (header, value) => {
    expect(binary([...required, 'ce-subject', header]).attributes.get('subject')).toBe(value);
  });

  test.each<[what: string, header: string]>([
    ['an overlong encoding', '%C0%A0'],
    ['half a character', '%E2%82'],
    ['a surrogate', '%ED%A0%80'],
    ['a byte that is not UTF-8', '\xff'],
    ['a percent sign alone', '100%'],
    ['digits that are none', '%+1'],
    ['a quote that does not end', '"a'],
    ['a quote that ends early', '"a"b"'],
    ['a backslash before the end', '"a\\"'],
    ['a line break', 'a%0D%0Ax-evil: 1'],
    ['a NUL', '%00'],
    ['nothing', ''],
  ])('is refused with %s in a header', (_, header) => {
    expect(refusalOf(() => binary([...required, 'ce-subject', header]))).toMatch(/^400 /);
  });

  test.each<[what: string, headers: readonly string[], body: string, type: string | undefined, refusal: string]>([
    ['an attribute twice', [...required, 'ce-tenantid', '1', 'Ce-TenantId', '2'], '', undefined, '400 bad-request $'],
    ['ce-datacontenttype', [...required, 'ce-datacontenttype', 'text/plain'], '', undefined, '400 bad-request $'],
    ['ce-data', [...required, 'ce-data', '1'], '', undefined, '400 validation-failed $'],
    ['a name with a hyphen', [...required, 'ce-tenant-id', '1'], '', undefined, '400 validation-failed $'],
    ['an empty name', [...required, 'ce-', '1'], '', undefined, '400 validation-failed $'],
    ['data without a type', required, '{}', undefined, '415 unsupported-media-type $'],
    ['data that are not JSON', required, '{', 'application/json', '400 invalid-json $'],
    ['two values of JSON', required, '1 2', 'application/json', '400 invalid-json $'],
    ['JSON that is not UTF-8', required, '{}', 'application/json; charset=latin1', '415 unsupported-media-type $'],
    ['no version', required.slice(2), '', undefined, '400 validation-failed $.specversion'],
    ['no attribute at all', [], '{}', 'application/json', '415 unsupported-media-type $'],
  ])('is refused with %s', (_, headers, body, type, refusal) => {
    expect(refusalOf(() => binary(headers, body, type))).toBe(refusal);
  });
});

test('any JSON comes out as it went in', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom('', ' ', '\n\t'), (json, space) => {
      const members = Object.entries(REQUIRED).map(([name, value]) => `${space}"${name}"${space}:${space}"${value}"`);
      const event = structured(`{${[...members, `${space}"data"${space}:${space}${json}`].join(`${space},`)}${space}}`);
      expect(event.data).toEqual({ json: json.trim() });
      expect(JSON.parse(structuredJson(event))).toEqual({ ...REQUIRED, data: JSON.parse(json) });
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('any bytes are an event or a refusal, and no failure', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.string({ unit: codePoint, maxLength: 20 }), (bytes, header) => {
      const body = Buffer.from(bytes);
      const latin1 = Buffer.from(header).toString('latin1');
      for (const rawHeaders of [
        ['content-type', STRUCTURED],
        ['content-type', latin1, ...required],
        [...required, 'ce-subject', latin1, 'content-type', 'application/json'],
      ])
        refusalOf(() => readEvent({ rawHeaders, body }));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('an attribute that is set takes the place of what was sent', () => {
  const event = withAttribute(structured({ ...REQUIRED, tenantid: 7 }), 'tenantid', '7');
  expect(JSON.parse(structuredJson(event))).toEqual({ ...REQUIRED, tenantid: '7' });
});
