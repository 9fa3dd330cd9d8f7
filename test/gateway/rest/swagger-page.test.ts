import { afterAll, describe, expect, test } from '@jest/globals';
import { PAGE_FILES } from '../../../gateway/transports/rest/page/index.ts';
import { bearer, keeper } from '../harness/index.ts';
import { openCatalogue } from './catalogue.ts';

const { keep, close } = keeper();
afterAll(close);
const { gateway, issuer } = await keep(openCatalogue());

describe('the page', () => {
  test('is public, and contains no data', async () => {
    const { status, headers, text } = await gateway.send('/api/swagger');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/stock|echo|enter/);
  });

  test('lets nothing run or load but what comes from the gateway itself', async () => {
    const { headers } = await gateway.send('/api/swagger');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join(' ')).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' });
  });

  test('has no script, style or event handler in its HTML, and nothing from elsewhere', async () => {
    const { text } = await gateway.send('/api/swagger');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|https?:|\/\//i);
    for (const [tag] of text.matchAll(/<script[^>]*>[^<]*/g)) expect(tag).toMatch(/ src="[^"]+">$/);
  });

  test('finds every file that it and its scripts name', async () => {
    const names = new Set<string>();
    const { text } = await gateway.send('/api/swagger');
    const found = [...text.matchAll(/(?:src|href)="(swagger\/[^"]+)"/g)].map(([, name]) => `/api/${name}`);
    for (const path of found) names.add(path);
    for (const path of names) {
      const file = await gateway.send(path);
      expect({ path, status: file.status }).toEqual({ path, status: 200 });
      const type = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }[path.split('.').pop() ?? ''];
      expect(file.headers['content-type']).toBe(`${type}; charset=utf-8`);
      for (const [, name] of file.text.matchAll(/from '\.\/([^']+)'/g)) names.add(`/api/swagger/${name}`);
    }
    expect(names.size).toBe(PAGE_FILES.size - 1);
  });

  test('is not served at other paths, nor by other methods', async () => {
    expect((await gateway.send('/api/swagger/nothing.js')).status).toBe(404);
    expect((await gateway.send('/api/swagger/__proto__')).status).toBe(404);
    expect((await gateway.send('/api/swagger/', {})).headers.location).toBe('../swagger');
    expect(await gateway.send('/api/swagger', { method: 'POST' })).toMatchObject({ status: 405 });
    expect(await gateway.send('/api/swagger/page.js', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  test('has a document of what needs no token, which is the same whatever token comes along', async () => {
    const open = await gateway.send<{ paths: object }>('/api/swagger/public.json');
    expect(open.status).toBe(200);
    const withToken = await gateway.send('/api/swagger/public.json', { headers: bearer(issuer.token()) });
    expect(withToken.text).toBe(open.text);
    const { body } = await gateway.send<{ paths: object }>('/api/swagger/json', { headers: bearer(issuer.token()) });
    expect(Object.keys(body.paths).length).toBeGreaterThan(Object.keys(open.body.paths).length);
    expect(await gateway.send('/api/swagger/public.json', { method: 'POST' })).toMatchObject({ status: 405 });
  });

  test('never shows a token that it is given in a header', async () => {
    const token = issuer.token();
    expect((await gateway.send('/api/swagger', { headers: bearer(token) })).text).not.toContain(token);
  });
});

/** A script of the page that needs no browser. */
const load = (name: string) =>
  import(`data:text/javascript,${encodeURIComponent(PAGE_FILES.get(name)?.text ?? '')}`) as Promise<
    Record<string, (...given: unknown[]) => unknown>
  >;
const { urlOf, headersOf } = await load('request.js');
const { schemaText, exampleOf } = await load('schema.js');

describe('a request that the page makes', () => {
  const text = (name: string, place = 'query') => ({ name, in: place, schema: { type: 'string' } });
  const list = (name: string, place = 'query') => ({ name, in: place, schema: { type: 'array' } });

  test('has each value where it belongs, encoded', () => {
    const parameters = [text('id', 'path'), text('q'), text('none')];
    const values = { 'path:id': 'a/b $&', 'query:q': 'x&y=z', 'query:none': '' };
    expect(urlOf?.('/api/rest/things/{id}', parameters, values)).toBe('/api/rest/things/a%2Fb%20%24%26?q=x%26y%3Dz');
  });

  test('repeats a list in the query string, and has commas in the path', () => {
    const values = { 'query:tag': 'a,b\nc\n', 'path:ids': '1\n2' };
    const url = urlOf?.('/api/rest/{ids}', [list('ids', 'path'), list('tag')], values);
    expect(url).toBe('/api/rest/1,2?tag=a%2Cb&tag=c');
  });

  test('carries the token and role only if there are any', () => {
    expect(headersOf?.({ token: '', role: '' }, false)).toEqual({ accept: 'application/json' });
    expect(headersOf?.({ token: 't', role: 'r' }, true)).toEqual({
      accept: 'application/json',
      authorization: 'Bearer t',
      'x-hasura-role': 'r',
      'content-type': 'application/json',
    });
  });
});

describe('a schema on the page', () => {
  const components = {
    Kind: { type: 'string', enum: ['BOOK', 'GAME'] },
    Filter: {
      type: 'object',
      properties: {
        kind: { $ref: '#/components/schemas/Kind' },
        either: { type: ['array', 'null'], items: { $ref: '#/components/schemas/Filter' } },
      },
      required: ['kind'],
    },
  };

  test('reads like a type', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        size: { type: ['integer', 'null'], description: 'How\nbig.' },
        kinds: { type: 'array', items: { anyOf: [{ $ref: '#/components/schemas/Kind' }, { type: 'null' }] } },
        filter: { $ref: '#/components/schemas/Filter' },
        extra: {},
        none: { type: 'object', properties: {} },
        found: { type: ['array', 'null'], items: { anyOf: [{ type: 'object' }, { type: 'null' }] } },
      },
      required: ['id', 'size', 'kinds'],
    };
    expect(schemaText?.(schema, components)).toBe(
      [
        '{',
        '  id: string (uuid)',
        '  size: integer | null  // How big.',
        '  kinds: ("BOOK" | "GAME" | null)[]',
        '  filter?: {',
        '    kind: "BOOK" | "GAME"',
        '    either?: Filter[] | null',
        '  }',
        '  extra?: anything',
        '  none?: {}',
        '  found?: ({} | null)[] | null',
        '}',
      ].join('\n'),
    );
  });

  test('comes with an example to begin with, however deep it goes', () => {
    expect(exampleOf?.({ $ref: '#/components/schemas/Filter' }, components)).toEqual({ kind: 'BOOK', either: [] });
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', default: 10 }, b: { type: ['boolean', 'null'] } },
    };
    expect(exampleOf?.(schema, components)).toEqual({ n: 10, b: false });
  });
});
