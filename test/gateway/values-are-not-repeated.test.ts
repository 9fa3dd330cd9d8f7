import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, GOOD_LOGIN, keeper, LOGIN, openPlatform } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const platform = await keep(openPlatform());
const { gateway, issuer } = platform;
const token = issuer.token();
beforeEach(() => platform.forget());

/** A value that must not come back; in several shapes, for a number must not either. */
const CANARY = 'hunter2-canary';
const NUMBER = 424_242_424_242;
const REPEATED = /hunter2|canary|424242|CANARY/;

function expectNoCanary(text: string): void {
  expect(text).not.toMatch(REPEATED);
}

const login = (data: string) => `mutation { auth_user_login(data: ${data}) { success } }`;

describe('in a document, a value is not repeated when it is', () => {
  test.each([
    ['a text for a number', login(`{ tenant_id: "${CANARY}" }`)],
    ['a number for a text', login(`{ password: ${NUMBER} }`)],
    ['a decimal for a text', login(`{ password: ${NUMBER}.5 }`)],
    ['a number that is too large', login(`{ tenant_id: ${NUMBER} }`)],
    ['a name for a text', login('{ password: hunter2 }')],
    ['a list for a text', login(`{ password: ["${CANARY}"] }`)],
    ['an object for a text', login(`{ password: { a: "${CANARY}" } }`)],
    ['a text for an object', login(`"${CANARY}"`)],
    ['a list for an object', login(`["${CANARY}"]`)],
    ['beside a field that does not exist', login(`{ password: "${CANARY}", unknown: "${CANARY}" }`)],
    ['in an argument that does not exist', `mutation { auth_user_login(date: { password: "${CANARY}" }) { success } }`],
    ['beside an argument that is missing', `mutation { auth_user_login(date: "${CANARY}") { success } }`],
    ['in a field of a wrong name', `mutation { auth_user_login(data: { password: "${CANARY}" }) { succes } }`],
    ['given twice', login(`{ password: "${CANARY}", password: "${CANARY}" }`)],
    [
      'in a directive that does not exist',
      login(`{ password: "a" }`).replace('{ success }', `@x(a: "${CANARY}") { success }`),
    ],
    [
      'in a directive of the wrong type',
      login(`{ password: "a" }`).replace('{ success }', `@skip(if: "${CANARY}") { success }`),
    ],
    [
      'the default of a variable',
      `mutation ($n: Int = "${CANARY}") { auth_user_login(data: { tenant_id: $n }) { success } }`,
    ],
    ['before a syntax error', `${login(`{ password: "${CANARY}" }`)} }`],
    ['a text that is a syntax error', `mutation { auth_user_login "${CANARY}" }`],
    ['a text that does not end', `mutation { auth_user_login(data: { password: "${CANARY} }) }`],
    ['a text in blocks that is a syntax error', `mutation { auth_user_login """${CANARY}""" }`],
    ['a text with a wrong escape', `mutation { auth_user_login(data: { password: "\\${CANARY}" }) }`],
    ['a number that is a syntax error', `mutation { auth_user_login ${NUMBER} }`],
    ['a number with a letter behind', `mutation { auth_user_login(data: { password: ${NUMBER}hunter2 }) { success } }`],
    ['a name that is a syntax error', 'mutation { auth_user_login(data: hunter2 hunter2) { success } }'],
    ['a name in the place of an operation', 'hunter2 { success }'],
    ['in a comment', `mutation { # ${CANARY}\n }`],
  ])('%s', async (_, query) => {
    for (const options of [{}, { token }]) {
      const { status, body, text } = await gateway.graphql(query, options);
      expect([status, body.errors?.[0]?.extensions.code]).toEqual([200, 'validation-failed']);
      expectNoCanary(text);
    }
    expect(platform.asked()).toBe(0);
  });

  test.each([
    ['an enum value that does not exist', '{ orders(status: CANARY) { id } }'],
    ['a text for an enum', `{ orders(status: "${CANARY}") { id } }`],
    ['a text for a number', `{ orders(first: "${CANARY}") { id } }`],
    ['in an input object', `{ search(filter: { item: "${CANARY}", quantity: "${CANARY}" }) { id } }`],
    ['an object for an id', `{ order(id: { a: "${CANARY}" }) { id } }`],
    ['a decimal for an id', `{ order(id: ${NUMBER}.5) { id } }`],
  ])('%s, asked with a token', async (_, query) => {
    const { body, text } = await gateway.graphql(query, { token });
    expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
    expectNoCanary(text);
  });
});

describe('in variables, a value is not repeated when it is', () => {
  const values: [string, Record<string, unknown>][] = [
    ['a text for a number', { ...GOOD_LOGIN, tenant_id: CANARY }],
    ['a number for a text', { ...GOOD_LOGIN, password: NUMBER }],
    ['a decimal for a number', { ...GOOD_LOGIN, tenant_id: 424242.5 }],
    ['a number out of range', { ...GOOD_LOGIN, tenant_id: NUMBER }],
    ['a list for a text', { ...GOOD_LOGIN, password: [CANARY] }],
    ['an object for a text', { ...GOOD_LOGIN, password: { [CANARY]: CANARY } }],
    ['a truth value for a text, beside it', { ...GOOD_LOGIN, username: CANARY, password: true }],
  ];

  test.each(values)('%s', async (_, variables) => {
    const { status, body, text } = await gateway.graphql(LOGIN, { variables });
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([200, 'validation-failed']);
    expectNoCanary(text);
    const rest = await gateway.post('/api/rest/auth_user_login', variables);
    expect([rest.status, rest.body]).toMatchObject([400, { code: 'validation-failed' }]);
    expectNoCanary(rest.text);
    expect(platform.asked()).toBe(0);
  });

  test.each<[string, string, unknown]>([
    ['an enum value that does not exist', 'query ($v: OrderStatus) { orders(status: $v) { id } }', CANARY],
    ['a number for an enum', 'query ($v: OrderStatus) { orders(status: $v) { id } }', NUMBER],
    ['a text for an object', 'query ($v: OrderFilter!) { search(filter: $v) { id } }', CANARY],
    ['in a wrong field of an object', 'query ($v: OrderFilter!) { search(filter: $v) { id } }', { quantity: CANARY }],
    ['in an unknown field of an object', 'query ($v: OrderFilter!) { search(filter: $v) { id } }', { other: CANARY }],
    ['in a list for an object', 'query ($v: OrderFilter!) { search(filter: $v) { id } }', [{ item: CANARY }]],
    ['an object for an id', 'query ($v: ID!) { order(id: $v) { id } }', { id: CANARY }],
  ])('%s, asked with a token', async (_, query, v) => {
    const { body, text } = await gateway.graphql(query, { token, variables: { v } });
    expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
    expect(body.errors?.[0]?.message).toMatch(/^Variable "\$v" /);
    expectNoCanary(text);
  });

  test('of a variable that the operation does not declare', async () => {
    const { text } = await gateway.graphql(LOGIN, { variables: { ...GOOD_LOGIN, passwort: CANARY } });
    expectNoCanary(text);
  });
});

describe('in a body, nothing is repeated', () => {
  const bodies: [string, string | Buffer][] = [
    ['that is no JSON', `{"query": "${CANARY}", }`],
    ['that is cut short', `{"password": "${CANARY}`],
    ['with a word that is no JSON', `{"password": hunter2}`],
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from(`{"password":"${CANARY}`), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    ['that is a text', JSON.stringify(CANARY)],
    ['that is a list', JSON.stringify([CANARY])],
    ['without a query', JSON.stringify({ password: CANARY, quer: CANARY })],
    ['with a query that is none', JSON.stringify({ query: { password: CANARY } })],
    ['with variables that are a text', JSON.stringify({ query: '{ a }', variables: CANARY })],
    ['with an operation name that is a list', JSON.stringify({ query: '{ a }', operationName: [CANARY] })],
  ];

  test.each(bodies)('%s', async (_, body) => {
    for (const path of ['/v1/graphql', '/api/rest/auth_user_login']) {
      const headers = { 'content-type': 'application/json' };
      const { status, text } = await gateway.send(path, { method: 'POST', headers, body });
      expect(status).toBe(400);
      expectNoCanary(text);
    }
  });
});

describe('in a URL, nothing is repeated', () => {
  test.each([
    [`/v1/graphql?query=${CANARY}`],
    [`/v1/graphql?query=%7Ba%7D&variables=${CANARY}`],
    [`/api/rest/orders?status=${CANARY}`],
    [`/api/rest/auth_user_login?password=${CANARY}`],
  ])('%s', async (path) => {
    const { status, text } = await gateway.send(path, { headers: bearer(token) });
    expect(status).toBeGreaterThanOrEqual(200);
    expectNoCanary(text);
  });

  test('of the name of an operation that does not exist', async () => {
    const { body, text } = await gateway.graphql('query a { orders { id } }', { token, operationName: CANARY });
    expect(body.errors?.[0]?.extensions.code).toBe('validation-failed');
    expectNoCanary(text);
  });
});

describe('in the logs, nothing is repeated', () => {
  test('of what callers sent, right or wrong', async () => {
    const password = CANARY;
    await gateway.graphql(LOGIN, { variables: { ...GOOD_LOGIN, password } });
    await gateway.post('/api/rest/auth_user_login', { ...GOOD_LOGIN, password });
    await gateway.graphql(LOGIN, { variables: { ...GOOD_LOGIN, password: 'late', username: CANARY } });
    await gateway.send(`/files/x?password=${CANARY}`, { headers: { ...bearer(token), cookie: CANARY } });
    platform.accounts.instead = (_, response) => response.destroy();
    await gateway.graphql(LOGIN, { variables: { ...GOOD_LOGIN, password } });
    platform.accounts.instead = undefined;
    expect(gateway.logs()).toContain('upstream.call_failed');
    expectNoCanary(gateway.logs());
    expect(gateway.logs()).not.toContain('a.b.c');
  });
});
