import { afterAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { keeper } from '../harness/index.ts';
import { type Document, openDocumentedCatalogue, operationOf } from './openapi-document.ts';

const { keep, close } = keeper();
afterAll(close);
const { gateway, asUser, user } = await keep(openDocumentedCatalogue());

describe('the parameters of an endpoint', () => {
  const parameter = (document: Document, method: string, path: string, name: string) =>
    operationOf(document, method, path).parameters?.find((candidate) => candidate.name === name);

  test('are in the query string of a GET, required where there is no other way', () => {
    expect(parameter(user, 'get', 'needy', 'text')).toEqual({
      name: 'text',
      in: 'query',
      required: true,
      schema: { type: 'string' },
    });
    expect(parameter(user, 'get', 'things', 'first')).toEqual({
      name: 'first',
      in: 'query',
      required: false,
      schema: { type: 'integer', format: 'int32', default: 10 },
    });
    expect(parameter(user, 'get', 'echo', 'must')).toMatchObject({ required: false, schema: { default: 'given' } });
    expect(operationOf(user, 'get', 'echo').requestBody).toBeUndefined();
  });

  test('are lists by repetition, and JSON where they hold more than one level', () => {
    expect(parameter(user, 'get', 'echo', 'texts')).toEqual({
      name: 'texts',
      in: 'query',
      required: false,
      style: 'form',
      explode: true,
      schema: { type: 'array', items: { type: 'string' } },
    });
    const asJson = (schema: unknown) => ({ in: 'query', content: { 'application/json': { schema } } });
    const filter = { $ref: '#/components/schemas/Filter' };
    expect(parameter(user, 'get', 'echo', 'filter')).toMatchObject(asJson(filter));
    expect(parameter(user, 'get', 'echo', 'filters')).toMatchObject(asJson({ type: 'array', items: filter }));
    const row = { type: 'array', items: { type: 'integer', format: 'int32' } };
    expect(parameter(user, 'get', 'echo', 'matrix')).toMatchObject(asJson({ type: 'array', items: row }));
  });

  test('are in the path where the path has them, lists with commas if that is clear', () => {
    expect(parameter(user, 'get', 'echo/counts/{counts}', 'counts')).toMatchObject({
      in: 'path',
      required: true,
      style: 'simple',
      explode: false,
      schema: { type: 'array' },
    });
    expect(parameter(user, 'get', 'echo/texts/{texts}', 'texts')).toEqual({
      name: 'texts',
      in: 'path',
      required: true,
      content: { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } },
    });
  });

  test('are in the body of a PUT, but for those in the path', () => {
    const { parameters, requestBody } = operationOf(user, 'put', 'things/{id}');
    expect(parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]);
    expect(requestBody?.content['application/json']?.schema).toEqual({
      type: 'object',
      properties: {
        filter: { $ref: '#/components/schemas/Filter' },
        note: { type: ['string', 'null'], default: '-' },
      },
      required: ['filter'],
      additionalProperties: false,
    });
  });
});

describe('what an endpoint answers', () => {
  const ajv = () => new Ajv2020({ strict: false, validateFormats: false });
  const check = (document: Document, reference: string, value: unknown) => {
    const validator = ajv().addSchema({ $id: 'document', ...document });
    const validate = validator.compile({ $ref: `document${reference}` });
    return { valid: validate(value), errors: validate.errors };
  };

  test.each([
    ['stock', 'stock'],
    ['things?long=true', 'things'],
    ['things?long=false&kind=BOOK', 'things'],
    ['found?text=a', 'found'],
    ['thing?text=a', 'thing'],
    ['echo?counts=1,2&filter={"name":"a"}', 'echo'],
  ])('%s is what the document says', async (request, path) => {
    const { status, body } = await gateway.send(`/api/rest/${request}`, { headers: asUser });
    expect(status).toBe(200);
    const { $ref } = operationOf(user, 'get', path).responses[200]?.content['application/json']?.schema ?? { $ref: '' };
    expect(check(user, $ref, body)).toEqual({ valid: true, errors: null });
    expect(check(user, $ref, { ...(body as object), more: 1 }).valid).toBe(false);
    expect(check(user, $ref, {}).valid).toBe(false);
  });

  test.each(['stock?colour=red', 'fail?how=404', 'fail?how=no+code'])(
    '%s is the error that it says',
    async (request) => {
      const { body } = await gateway.send(`/api/rest/${request}`, { headers: asUser });
      expect(check(user, '#/components/schemas/portico.error', body)).toEqual({ valid: true, errors: null });
    },
  );

  test('with another status than 200 may be the answer or an error', async () => {
    const { default: other } = operationOf(user, 'post', 'enter').responses;
    expect(other?.content['application/json']?.schema).toEqual({
      anyOf: [{ $ref: '#/components/schemas/portico.error' }, { $ref: '#/components/schemas/enter.answer' }],
    });
    const { status, body } = await gateway.post('/api/rest/enter', { name: 'mallory' });
    expect(status).toBe(401);
    expect(check(user, '#/components/schemas/enter.answer', body)).toEqual({ valid: true, errors: null });
  });
});
