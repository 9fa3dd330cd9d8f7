import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { testHandlers } from '../../../gateway/operations/cli/actions/test.ts';
import { tryHandler } from '../../../gateway/operations/cli/actions/try.ts';
import type { DescribedCall } from '../../../gateway/operations/handler-calls/index.ts';
import { type Handler, keeper, reply, serve } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { run } from './portico.ts';

const { keep, close } = keeper();
afterAll(close);

const SECRET = 'a secret of all webhooks, known to both';
const KEY = 'key-of-the-api-1234567890';
let respond: Handler = () => {};
const hook = await keep(serve((received, response, request) => respond(received, response, request)));

const definition = { handler: '{{HOOK_URL}}/call?key={{API_TOKEN}}', timeout: 5 };
const actions = {
  checkout: { ...definition, headers: [{ name: 'x-api', value_from_env: 'API_KEY' }] },
  slow: { ...definition, timeout: 0.3 },
  rate: {
    ...definition,
    request_transform: {
      version: 2,
      method: 'GET',
      query_params: { to: '{{$body.input.to}}' },
      body: { action: 'remove' },
    },
    response_transform: { version: 2, body: { action: 'transform', template: '{{$body.rates[0]}}' } },
  },
  later: { ...definition, kind: 'asynchronous' },
  forwarding: { ...definition, forward_client_headers: true },
  broken: { ...definition, handler: '{{NOT_SET}}' },
};
const metadata = await keep(
  metadataDirectory({
    'metadata/version.yaml': { version: 3 },
    'metadata/actions.graphql': `
      type Mutation {
        checkout(basket: ID!, coupon: String = "none", lines: [Line!]): Receipt
        slow: Int
        later(a: Int): Receipt!
        forwarding: Int
        broken: Int
      }
      type Query { rate(to: String!): Float! }
      input Line { sku: String! }
      type Receipt { id: ID! total: Int! lines: [Price!] }
      type Price { amount: Int! }
    `,
    'metadata/actions.yaml': {
      actions: Object.entries(actions).map(([name, one]) => ({
        name,
        definition: one,
        permissions: [{ role: 'user' }, { role: 'clerk' }],
      })),
      custom_types: {},
    },
  }),
);
const location = join(metadata.path, 'metadata');
const environment = { HOOK_URL: hook.url, API_KEY: KEY, API_TOKEN: 'token-in-the-url', PORTICO_WEBHOOK_SECRET: SECRET };

async function tried(name: string, input: unknown, call: Partial<DescribedCall> = {}, more: NodeJS.ProcessEnv = {}) {
  const printed: string[] = [];
  const described = { input: input as DescribedCall['input'], role: undefined, session: {}, headers: {}, ...call };
  const options = { location, environment: { ...environment, ...more }, name, call: described };
  const code = await tryHandler(options, (text) => printed.push(text));
  return { code, text: printed.join('\n') };
}

beforeEach(() => {
  hook.requests.length = 0;
  respond = (_, response) => reply(response, 200, { id: 'r1', total: 4200 });
});

describe('portico actions try', () => {
  test('calls the handler as a gateway does, and shows request, response and verdict', async () => {
    const { code, text } = await tried('checkout', { basket: 7 }, { session: { 'X-Hasura-User-Id': '7' } });
    expect(code).toBe(0);
    const [received] = hook.requests;
    expect(received?.body).toMatchObject({
      action: { name: 'checkout' },
      input: { basket: '7', coupon: 'none' },
      session_variables: { 'x-hasura-role': 'user', 'x-hasura-user-id': '7' },
      request_query: expect.stringMatching(/^mutation \(\$basket: ID!\) \{ checkout\(basket: \$basket\) \{ id total /),
    });
    expect(received?.headers).toMatchObject({
      'x-api': KEY,
      'x-portico-signature': expect.stringMatching(/^t=\d+,v1=/),
    });
    expect(text).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/call\?key=\*+\n/);
    expect(text).toContain('200 after ');
    expect(text).toContain('"total": 4200');
    expect(text.endsWith('ok: the response fits the output type')).toBe(true);
  });

  test('never shows secrets, even where the handler repeats them', async () => {
    respond = ({ headers, url }, response) =>
      reply(
        response,
        200,
        { id: 'r', total: 1, said: [headers, url, SECRET] },
        { 'set-cookie': 'sid=very-secret', 'x-echo': KEY },
      );
    const { text } = await tried('checkout', { basket: 'b' });
    for (const secret of [KEY, SECRET, 'token-in-the-url', 'very-secret']) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/v1=[0-9a-f]{64}/);
  });

  test('names each value that does not fit, with its path', async () => {
    respond = (_, response) => reply(response, 200, { id: 'r', total: '1', lines: [{ amount: 1 }, {}] });
    const { code, text } = await tried('checkout', { basket: 'b' });
    expect(code).toBe(1);
    expect(text).toContain(
      'wrong: total: expected Int, found a text\nwrong: lines[1].amount: expected Int!, found nothing',
    );
  });

  test('says what the gateway rejects in its own words', async () => {
    respond = (_, response) => reply(response, 200, [{ id: 'r' }]);
    const { code, text } = await tried('checkout', { basket: 'b' });
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('wrong: the result: expected Receipt, found a list of 1'),
    ]);
    expect(text).toContain(
      'the gateway rejects the response: got array for the action webhook response, expecting Receipt',
    );
  });

  test('accepts an error in the documented form, and no other', async () => {
    respond = (_, response) => reply(response, 404, { message: 'no such basket', code: 'basket-missing' });
    expect(await tried('checkout', { basket: 'b' })).toMatchObject({
      code: 0,
      text: expect.stringContaining('ok: the handler refused the call: no such basket (basket-missing)'),
    });
    for (const [status, body] of [
      [404, { error: 'x' }],
      [500, { message: 'x' }],
      [302, {}],
    ] as const) {
      respond = (_, response) => reply(response, status, body);
      expect(await tried('checkout', { basket: 'b' })).toMatchObject({
        code: 1,
        text: expect.stringContaining('\nwrong: '),
      });
    }
  });

  test('applies transforms, and sends a key for attempts with asynchronous actions', async () => {
    respond = (_, response) => reply(response, 200, { rates: [1.5] });
    expect(await tried('rate', { to: 'a b' })).toMatchObject({ code: 0, text: expect.stringMatching(/^GET /) });
    expect(hook.requests[0]).toMatchObject({ method: 'GET', url: '/call?to=a%20b', text: '' });
    respond = (_, response) => reply(response, 200, { rates: [] });
    expect(await tried('rate', { to: 'x' })).toMatchObject({
      code: 1,
      text: expect.stringContaining('Response Transformation Failed'),
    });

    respond = (_, response) => reply(response, 200, { id: 1, total: 1 });
    expect(await tried('later', {}, { role: 'clerk' })).toMatchObject({ code: 0 });
    expect(hook.requests.at(-1)).toMatchObject({
      headers: { 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) },
      body: { request_query: null, session_variables: { 'x-hasura-role': 'clerk' } },
    });
  });

  test('forwards the caller’s headers where the action does, and never a claim', async () => {
    respond = (_, response) => reply(response, 200, 1);
    const headers = { Authorization: 'Bearer abcdefgh', 'X-Hasura-Role': 'admin', 'X-Portico-Signature': 'forged' };
    const { text } = await tried('forwarding', {}, { headers });
    expect(hook.requests[0]?.headers).toMatchObject({ authorization: 'Bearer abcdefgh' });
    expect(hook.requests[0]?.headers).not.toHaveProperty('x-hasura-role');
    expect(hook.requests[0]?.headers['x-portico-signature']).toMatch(/^t=/);
    expect(text).not.toContain('abcdefgh');
    await tried('checkout', { basket: 'b' }, { headers });
    expect(hook.requests[1]?.headers).not.toHaveProperty('authorization');
  });

  test('does not call the handler where the gateway would not', async () => {
    for (const input of [{}, { basket: 'b', cuopon: 'x' }, { basket: 'b', lines: [{ sku: 1, __proto__x: 2 }] }])
      expect(await tried('checkout', input)).toMatchObject({
        code: 1,
        text: expect.stringMatching(/^wrong: the gateway would not call the handler: /),
      });
    await expect(tried('checkout', {}, { role: 'guest' })).rejects.toThrow(
      'the role "guest" may not call the action "checkout": its permissions name user, clerk',
    );
    await expect(tried('chekout', {})).rejects.toThrow('there is no action "chekout": did you mean "checkout"?');
    await expect(tried('checkout', {}, { session: { 'x-user': '1' } })).rejects.toThrow('expected x-hasura-…');
    await expect(tried('checkout', {}, { session: { 'x-hasura-a': 'a\r\nb: c' } })).rejects.toThrow(
      'control characters',
    );
    await expect(tried('broken', {})).rejects.toThrow('NOT_SET');
    expect(hook.requests).toEqual([]);
  });

  test('asks whether the handler is started, in place of a code alone', async () => {
    const { code, text } = await tried('checkout', { basket: 'b' }, {}, { HOOK_URL: 'http://127.0.0.1:1' });
    expect([code, text]).toEqual([
      1,
      expect.stringContaining(
        'wrong: http://127.0.0.1:1 cannot be reached: nothing listens there: is the handler started? (ECONNREFUSED)',
      ),
    ]);
  });

  test('ends with a handler that never responds, and with one that never stops', async () => {
    respond = () => {};
    expect(await tried('slow', {})).toMatchObject({
      code: 1,
      text: expect.stringContaining('did not respond within 0.3 seconds'),
    });
    respond = (_, response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.writeHead(200).on('drain', more);
      more();
    };
    const limit = { PORTICO_UPSTREAM_MAX_RESPONSE_BYTES: '1000000' };
    expect(await tried('checkout', { basket: 'b' }, {}, limit)).toMatchObject({
      code: 1,
      text: expect.stringContaining('the response is larger than PORTICO_UPSTREAM_MAX_RESPONSE_BYTES'),
    });
    const { code, text } = await tried('checkout', { basket: 'b' });
    expect(code).toBe(1);
    expect(text.length).toBeLessThan(10_000);
    respond = (_, response) => response.destroy();
    expect(await tried('checkout', { basket: 'b' })).toMatchObject({
      code: 1,
      text: expect.stringContaining('closed the connection'),
    });
  });

  test('shows a long response in part, and nothing that a terminal would obey', async () => {
    const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\r\b\u202e\u2066\u0000\u2028';
    const { printed } = await hostileRuns(hostile);
    for (const text of printed) expect(text).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
    expect(printed.join('')).toContain('\\u001b[2J');
    expect(Math.max(...printed.map(({ length }) => length))).toBeLessThan(40_000);
  });
});

async function hostileRuns(hostile: string) {
  const printed: string[] = [];
  const bodies: readonly [number, string][] = [
    [200, hostile],
    [500, `${hostile}${'x'.repeat(100_000)}`],
    [200, JSON.stringify({ id: hostile, total: hostile })],
    [404, JSON.stringify({ message: hostile, code: hostile })],
    [404, JSON.stringify({ message: 'x', extensions: { code: hostile, internal: { error: hostile } } })],
    [200, JSON.stringify({ id: 'x', total: 1, [hostile]: hostile })],
  ];
  const cases = join(metadata.path, 'hostile');
  metadata.write({
    [`hostile/checkout/${hostile.replaceAll('\u0000', '')}.yaml`]: 'input: { basket: b }\nresponse: { id: x }',
  });
  for (const [status, body] of bodies) {
    respond = (_, response) =>
      response.writeHead(status, { 'x-said': '\u009b31m', 'content-type': 'application/json' }).end(body);
    printed.push((await tried('checkout', { basket: 'b' })).text);
    for (const tap of [false, true])
      await testHandlers({ location, environment, cases, record: false, tap }, (text) => printed.push(text));
  }
  return { printed };
}

describe('portico actions test', () => {
  const cases = join(metadata.path, 'action-tests');

  async function tested(options: { record?: boolean; tap?: boolean } = {}) {
    const printed: string[] = [];
    const code = await testHandlers(
      { location, environment, cases: undefined, record: false, tap: false, ...options },
      (text) => printed.push(text),
    );
    return {
      code,
      lines: printed
        .join('\n')
        .replace(/\(\d+ ms\)/g, '(n ms)')
        .split('\n'),
    };
  }

  beforeEach(() => metadata.write({ 'action-tests': undefined }));

  test('compares what handlers return with what is recorded', async () => {
    metadata.write({
      'action-tests/checkout/fine.yaml': {
        input: { basket: 'b' },
        session: { 'x-hasura-user-id': 7 },
        response: { id: { $regex: '^r\\d$' }, total: { $type: 'integer' } },
      },
      'action-tests/checkout/other.yaml': { input: { basket: 'b' }, response: { id: 'r1', total: 1 } },
      'action-tests/checkout/refused.yml': {
        input: { basket: 'x' },
        error: { code: 'missing', message: { $any: true } },
      },
      'action-tests/checkout/unknown.yaml': { inpt: {} },
      'action-tests/nothing/a.yaml': { input: {} },
    });
    respond = ({ body }, response) =>
      (body as { input: { basket: string } }).input.basket === 'b'
        ? reply(response, 200, { id: 'r1', total: 4200, more: 1 })
        : reply(response, 404, { message: 'there is none', code: 'missing' });
    const { code, lines } = await tested();
    expect(code).toBe(1);
    expect(lines).toEqual([
      'passed checkout/fine (n ms)',
      'failed checkout/other (n ms)',
      '  total: expected 1, found 4200',
      'passed checkout/refused (n ms)',
      'failed checkout/unknown (n ms)',
      '  unknown key "inpt": did you mean "input"?',
      'failed nothing/a (n ms)',
      expect.stringContaining('  there is no action "nothing"'),
      'without cases: slow, rate, later, forwarding, broken',
      '2 passed, 0 recorded, 3 failed',
    ]);
    expect(hook.requests[0]?.body).toMatchObject({ session_variables: { 'x-hasura-user-id': '7' } });
  });

  test('takes no failure of the handler for an expected error', async () => {
    metadata.write({ 'action-tests/checkout/a.yaml': { input: { basket: 'b' }, error: { code: 'unexpected' } } });
    respond = (_, response) => reply(response, 500, { message: 'x', code: 'unexpected' });
    expect(await tested()).toMatchObject({ code: 1 });
    respond = (_, response) => response.destroy();
    expect(await tested()).toMatchObject({ code: 1 });
    expect(await tested({ record: true })).toMatchObject({ code: 1 });
  });

  test('records what cases do not expect yet, and changes nothing else', async () => {
    metadata.write({
      'action-tests/checkout/new.yaml': '# Why this case exists.\ninput: { basket: b } # one basket\n',
      'action-tests/checkout/kept.yaml': 'input: { basket: b }\nresponse: { id: other }\n',
      'action-tests/checkout/empty.yaml': '',
    });
    const { code, lines } = await tested({ record: true });
    expect([code, lines.at(-1)]).toEqual([1, '0 passed, 1 recorded, 2 failed']);
    expect(readFileSync(join(cases, 'checkout/new.yaml'), 'utf8')).toBe(
      '# Why this case exists.\ninput: { basket: b } # one basket\nresponse:\n  id: r1\n  total: 4200\n  lines: null\n'.replace(
        '  lines: null\n',
        '',
      ),
    );
    expect(readFileSync(join(cases, 'checkout/kept.yaml'), 'utf8')).toBe(
      'input: { basket: b }\nresponse: { id: other }\n',
    );
    metadata.write({ 'action-tests/checkout/kept.yaml': undefined, 'action-tests/checkout/empty.yaml': undefined });
    expect(await tested()).toMatchObject({ code: 0 });
  });

  test('does not record a response that is wrong', async () => {
    metadata.write({ 'action-tests/checkout/new.yaml': 'input: { basket: b }\n' });
    respond = (_, response) => reply(response, 200, { id: 'r', total: 'x' });
    expect(await tested({ record: true })).toMatchObject({ code: 1 });
    expect(readFileSync(join(cases, 'checkout/new.yaml'), 'utf8')).toBe('input: { basket: b }\n');
  });

  test('prints TAP', async () => {
    metadata.write({
      'action-tests/checkout/a#b.yaml': { input: { basket: 'b' }, response: { id: 'r1', total: 4200 } },
      'action-tests/checkout/c.yaml': { input: { basket: 'b' }, response: { id: 'r1', total: 1 } },
    });
    expect((await tested({ tap: true })).lines).toEqual([
      'TAP version 14',
      '1..2',
      'ok 1 - checkout/a\\#b',
      'not ok 2 - checkout/c',
      '  ---',
      '  problems:',
      '    - "total: expected 1, found 4200"',
      '  ...',
      expect.stringContaining('# without cases: '),
      '# 1 passed, 0 recorded, 1 failed',
    ]);
  });

  test('fails without cases, so that a wrong directory is no success', async () => {
    metadata.write({ 'action-tests/checkout/note.txt': 'x' });
    expect(await tested()).toMatchObject({ code: 1 });
    metadata.write({ 'action-tests': undefined });
    await expect(tested()).rejects.toThrow(`there is no directory ${cases}: create `);
  });
});

test('the commands run as processes, with help and exit codes', async () => {
  const out = join(metadata.path, 'handlers');
  const [generated, wrong, help, unknown, foreign] = await Promise.all([
    run(['actions', 'codegen', location, '--out', out, '--target', 'fetch', '--scalar', 'Money=string']),
    run(['actions', 'try', 'checkout', location, '--input', '{'], { environment }),
    run(['actions', '--help']),
    run(['actions', 'tset']),
    run(['actions', 'test', '--force']),
  ]);
  expect(generated).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no action uses a custom scalar "Money"'),
  });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--input: expected a JSON object') });
  expect(help.stdout).toMatch(/actions codegen.*actions try.*actions test/s);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "test"?') });
  expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining("Unknown option '--force'") });
  expect(existsSync(out)).toBe(false);

  const calls = await Promise.all([
    run(['actions', 'codegen', location, '--out', out]),
    run(['actions', 'try', 'checkout', location, '--input', '{"basket":"b"}', '--session', 'x-hasura-user-id=7'], {
      environment,
    }),
    run(['actions', 'try', 'rate', location, '--input', '{"to":"b"}'], {
      environment: { ...environment, HOOK_URL: 'http://127.0.0.1:1' },
    }),
  ]);
  expect(calls.map(({ code }) => code)).toEqual([0, 0, 1]);
  expect(calls[0].stderr).toBe(
    'rate: only its types were written, because transforms change the form of its requests or responses\n',
  );
  expect(calls[1].stdout).toContain('ok: the response fits the output type');
  expect(calls[2].stdout).toContain('is the handler started?');
});

test.each([
  ['codegen', []],
  ['try', ['checkout']],
  ['test', []],
])('portico actions %s reports invalid metadata with a line for each problem', async (command, words) => {
  const files = {
    'metadata/version.yaml': { version: 3 },
    'metadata/actions.yaml': 'actions: 1\ncustom_types: 2\n',
    'action-tests/checkout/any.yaml': { input: {} },
  };
  const { path } = await keep(metadataDirectory(files));
  const { code, stderr } = await run(['actions', command, ...words, join(path, 'metadata')]);
  const lines = stderr.split('\n');
  expect([code, lines[0]]).toEqual([1, 'portico: the metadata is not valid:']);
  expect(lines.slice(1, 3)).toEqual([
    expect.stringMatching(/^ {2}actions\.yaml:1 actions: /),
    expect.stringMatching(/^ {2}actions\.yaml:2 custom_types: /),
  ]);
  expect(stderr).not.toMatch(/^ +at /m);
});
