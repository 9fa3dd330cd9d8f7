import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { bearer, keeper, until, writeMetadata } from '../harness/index.ts';
import { CATALOGUE_METADATA, openCatalogue } from './catalogue.ts';
import { ADMIN, type Document, listed, openDocumentedCatalogue, operationOf } from './openapi-document.ts';

const { keep, close } = keeper();
afterAll(close);
const { gateway, asUser, user, manager, admin } = await keep(openDocumentedCatalogue());

/** One for all documents: each compiles the schema of OpenAPI anew. */
const validator = new Validator();

describe('the document', () => {
  test('is not shown without a token', async () => {
    const answer = await gateway.send<{ code: string }>('/api/swagger/json');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="portico"');
    expect(answer.body.code).toBe('invalid-headers');
    expect((await gateway.send('/api/swagger/json', { method: 'DELETE' })).status).toBe(401);
  });

  test('is not shown with an invalid token or role', async () => {
    expect((await gateway.send('/api/swagger/json', { headers: bearer('a.b.c') })).status).toBe(401);
    const asOther = { ...asUser, 'x-hasura-role': 'admin' };
    expect((await gateway.send('/api/swagger/json', { headers: asOther })).status).toBe(403);
  });

  test('can only be read', async () => {
    const answer = await gateway.send('/api/swagger/json', { method: 'POST', headers: asUser });
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });

  test('is not cached by proxies', async () => {
    const { headers } = await gateway.send('/api/swagger/json', { headers: asUser });
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test.each(['user', 'manager', 'admin'])('for the role %s is OpenAPI 3.1 to a validator', async (role) => {
    const document = { user, manager, admin }[role] as Document;
    const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test.each(['user', 'manager', 'admin'])('for the role %s refers to nothing that it does not hold', (role) => {
    const document = { user, manager, admin }[role] as Document;
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"/]+)\/([^"/]+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, kind = '', name = ''] of references) expect(document.components[kind]).toHaveProperty([name]);
  });

  test('introduces itself', () => {
    expect(user.openapi).toMatch(/^3\.1\.\d+$/);
    expect(user.info).toMatchObject({ title: 'Rest Endpoints', version: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(user.info.version).not.toBe(manager.info.version);
    expect(user.servers).toEqual([{ url: '/', description: 'The server that provides this document.' }]);
    expect(user.components.securitySchemes).toEqual({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
    });
  });

  test('has operation ids that are unique, whatever the endpoints are called', () => {
    const ids = Object.values(admin.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['echo.get', 'echo.post', 'drop_for_good_', 'put.patch']));
  });
});

describe('the endpoints in it', () => {
  test('are those that a role may use, and the public ones', () => {
    expect(listed(user)).toContain('get /api/rest/stock');
    expect(listed(user)).not.toContain('post /api/rest/shred');
    expect(listed(manager)).not.toContain('get /api/rest/stock');
    expect(listed(manager)).toContain('post /api/rest/shred');
    for (const document of [user, manager]) expect(listed(document)).toContain('post /api/rest/enter');
  });

  test('are all of them for the admin', () => {
    for (const document of [user, manager]) expect(listed(admin)).toEqual(expect.arrayContaining(listed(document)));
  });

  test('need a token, but for the public ones', () => {
    for (const [path, item] of Object.entries(user.paths))
      for (const operation of Object.values(item)) {
        const isPublic = path === '/api/rest/enter';
        expect(operation.security).toEqual(isPublic ? [] : [{ bearer: [] }]);
        expect('401' in operation.responses).toBe(!isPublic);
        expect('403' in operation.responses).toBe(!isPublic);
      }
  });

  test('are described with their name, comment and operation', () => {
    const { summary, description } = operationOf(user, 'get', 'stock');
    expect(summary).toBe('stock');
    expect(description).toBe(
      'About stock.\n\n***\nThe GraphQL query for this endpoint is:\n```graphql\nquery stock { stock }\n```',
    );
  });

  test('share a path where only the names of its parameters differ', () => {
    expect(Object.keys(user.paths['/api/rest/things/{id}'] ?? {})).toEqual(['put', 'patch', 'delete']);
  });

  test('show a caller without a token what the public role sees of a type, and each role its own', () => {
    const { requestBody } = operationOf(user, 'post', 'enter');
    expect(requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: {
            properties: {
              name: { type: 'string' },
              options: { anyOf: [{ $ref: '#/components/schemas/EnterOptions' }, { type: 'null' }] },
            },
            required: ['name'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(user.components.schemas?.EnterOptions).toMatchObject({
      properties: { long: { type: ['boolean', 'null'] } },
    });
    expect(JSON.stringify(user)).not.toContain('secret');
  });
});

describe('as things change', () => {
  test('the document follows the metadata', async () => {
    const { directory } = await keep(writeMetadata(CATALOGUE_METADATA));
    const other = await keep(openCatalogue({ environment: { HASURA_GRAPHQL_METADATA_DIR: directory } }));
    const ask = async () => {
      const headers = bearer(other.issuer.token());
      return listed((await other.gateway.send<Document>('/api/swagger/json', { headers })).body);
    };
    expect(await ask()).toEqual(listed(user));
    const left = CATALOGUE_METADATA['rest_endpoints.yaml'].filter(({ name }) => name === 'stock');
    writeFileSync(join(directory, 'rest_endpoints.yaml'), JSON.stringify(left));
    await until('the endpoints are others', async () => (await ask()).length === 1);
    expect(await ask()).toEqual(['get /api/rest/stock']);
  });

  test('an endpoint whose service is missing is left out, and an admin sees why', async () => {
    const other = await keep(
      openCatalogue({
        environment: {
          CATALOGUE_URL: 'http://127.0.0.1:1/graphql',
          HASURA_GRAPHQL_ADMIN_SECRET: ADMIN['x-hasura-admin-secret'],
        },
        waitUntilReady: false,
      }),
    );
    const ask = (headers: Record<string, string>) =>
      other.gateway.send<Document>('/api/swagger/json', { headers }).then(({ body }) => body);
    const asItsManager = { ...bearer(other.issuer.token()), 'x-hasura-role': 'manager' };
    await until('tokens can be judged', async () => 'paths' in (await ask(asItsManager)));
    expect(listed(await ask(asItsManager))).toEqual(['post /api/rest/shred']);
    const all = await ask(ADMIN);
    expect(listed(all)).toEqual(listed(admin));
    expect(operationOf(all, 'get', 'stock').description).toContain(
      '**This endpoint is not available**: Cannot query field "stock"',
    );
    expect(await validator.validate(all as unknown as Record<string, unknown>)).toEqual({ valid: true });
  });

  test('a role that may not introspect does not get the schema this way either', async () => {
    const other = await keep(
      openCatalogue({ metadata: { 'graphql_schema_introspection.yaml': { disabled_for_roles: ['user'] } } }),
    );
    const headers = bearer(other.issuer.token());
    expect(await other.gateway.send('/api/swagger/json', { headers })).toMatchObject({
      status: 403,
      body: { path: '$', error: 'introspection is disabled for role: "user"', code: 'not-supported' },
    });
    const asItsManager = { ...headers, 'x-hasura-role': 'manager' };
    expect((await other.gateway.send('/api/swagger/json', { headers: asItsManager })).status).toBe(200);
  });
});

test('a path parameter that the operation does not declare keeps the gateway from starting', async () => {
  const endpoint = {
    name: 'stock of a shop',
    url: 'shops/:shop/stock',
    methods: ['GET'],
    definition: { query: { collection_name: 'saved', query_name: 'stock' } },
  };
  await expect(openCatalogue({ metadata: { 'rest_endpoints.yaml': [endpoint] } })).rejects.toThrow(
    'the query "stock" declares no variable $shop for the path parameter ":shop"',
  );
});
