import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, endpoint, type GraphqlBody, keeper, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(
  openPlatform({ metadata: { 'rest_endpoints.yaml': [endpoint('orders', 'orders', ['GET'])] } }),
);
const { issuer, gateway, orders } = platform;
const token = issuer.token();
beforeEach(() => {
  platform.forget();
  orders.instead = undefined;
});

/** The service answers everything with this text, written in as many pieces. */
function answerWith(...pieces: readonly string[]): void {
  orders.instead = async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const piece of pieces) await new Promise<void>((written) => response.write(piece, () => written()));
    response.end();
  };
}

const ask = () => gateway.graphql('{ orders { id } }', { token });
const askRest = () => gateway.send<unknown>('/api/rest/orders', { headers: bearer(token) });

const ODD_IDS = ['}}', '"}}', '\\', '\\"', '"},"errors":[', '"extensions":{', '{"data":{', 'ü€😀'];

describe('an answer that holds data alone', () => {
  test.each(ODD_IDS)('comes to me as the service wrote it: %s', async (id) => {
    const data = { orders: [{ id }, { id: '2' }] };
    answerWith(JSON.stringify({ data }));
    expect((await ask()).text).toBe(JSON.stringify({ data }));
    expect((await askRest()).text).toBe(JSON.stringify(data));
  });

  test('comes to me whole however long it is and however it was sent', async () => {
    const data = { orders: Array.from({ length: 9_000 }, (_, index) => ({ id: `order "${index}" of many, many` })) };
    const text = JSON.stringify({ data });
    const cuts = [0, 1, 9, 10, 70_000, 70_001, text.length - 1, text.length];
    answerWith(...cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut)));
    const answer = await ask();
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect(answer.text).toBe(text);
    expect((await askRest()).text).toBe(JSON.stringify(data));
  });
});

describe('what a service says beside its data', () => {
  const data = { orders: [{ id: '1' }] };
  const errors = [{ message: 'half of it is missing', extensions: { code: 'HALF', stacktrace: ['secret.js:1'] } }];
  const response = { data, errors, extensions: { cost: 7 } };

  test.each([
    ['errors at the end', JSON.stringify({ data, errors })],
    ['errors before extensions', JSON.stringify(response)],
    ['errors first', JSON.stringify({ errors, data })],
    ['lines and spaces', JSON.stringify(response, null, 2)],
    ['spaces within', `{"data":${JSON.stringify(data, null, 1)}, "errors" : ${JSON.stringify(errors)} }`],
  ])('is seen, not relayed: %s', async (_, text) => {
    answerWith(text.slice(0, 12), text.slice(12));
    const { body, text: answered } = await ask();
    expect(body).toMatchObject({
      data,
      errors: [{ message: 'half of it is missing', extensions: { code: 'HALF', service: 'orders' } }],
    });
    expect(body).not.toHaveProperty('extensions');
    expect(answered).not.toContain('secret.js');
    expect(await askRest()).toMatchObject({ body: { error: 'half of it is missing' } });
  });

  test('is left out when it is for programs between us', async () => {
    answerWith(JSON.stringify({ data, extensions: { cost: { asked: 7 } } }));
    expect((await ask()).body).toEqual({ data });
    expect((await askRest()).body).toEqual(data);
  });

  test('is reported as invalid where its errors are empty', async () => {
    answerWith(JSON.stringify({ data, errors: {} }));
    const { errors: told = [] } = (await ask()).body as GraphqlBody;
    expect(told.map(({ message }) => message)).toEqual(['Invalid "errors" field in response from remote']);
  });

  test('does not get into a REST answer, whatever it is', async () => {
    answerWith(JSON.stringify({ data, more: { than: 'that' } }));
    expect((await askRest()).body).toEqual(data);
  });
});
