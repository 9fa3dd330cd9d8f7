import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { webhookSignature } from '../../../gateway/webhooks/calls/index.ts';
import { keeper, type Received } from '../harness/index.ts';
import { action, openActionWorld } from './action-world.ts';

const SECRET = 'a secret of all webhooks, known to both';
const OWN = 'a secret of one webhook, known to that one';

type Verify = (secret: string, header: string | undefined, body: string, nowMs?: number) => boolean;

/** The example of the documentation, as it stands there. */
const { verifySignature } = await documentedExample();

async function documentedExample(): Promise<{ verifySignature: Verify }> {
  const page = readFileSync(new URL('../../../docs/webhook-signatures.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

const { keep, close } = keeper();
afterAll(close);
const types = `
  type Query { all(text: String): Int own: Int bodiless: Int }
  type Mutation { forwarding: Int }
`;
const actions = [
  action('all'),
  action('own', { webhook_signature: { secret_from_env: 'OWN_SECRET' } }),
  action('bodiless', { request_transform: { version: 2, method: 'GET', body: { action: 'remove' } } }),
  action('forwarding', {
    forward_client_headers: true,
    request_transform: { version: 2, request_headers: { remove_headers: ['x-portico-signature'] } },
  }),
];
const signing = await keep(
  openActionWorld({ types, actions, environment: { PORTICO_WEBHOOK_SECRET: SECRET, OWN_SECRET: OWN } }),
);

const signatureOf = ({ headers }: Received) => headers['x-portico-signature'] as string | undefined;

describe('a webhook call', () => {
  test('is signed with the secret of all, over time and body', async () => {
    await signing.call('query ($text: String) { all(text: $text) }', { variables: { text: 'ü€😀' } });
    const received = signing.received();
    const [, time, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signatureOf(received) ?? '') ?? [];
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60);
    expect(digest).toBe(createHmac('sha256', SECRET).update(`${time}.${received.text}`).digest('hex'));
    expect(verifySignature(SECRET, signatureOf(received), received.text)).toBe(true);
  });

  test('is signed with the action’s own secret where it has one', async () => {
    await signing.call('{ own }');
    const received = signing.received();
    expect(verifySignature(OWN, signatureOf(received), received.text)).toBe(true);
    expect(verifySignature(SECRET, signatureOf(received), received.text)).toBe(false);
  });

  test('without a body is signed as well', async () => {
    await signing.call('{ bodiless }');
    expect(signing.received().method).toBe('GET');
    expect(verifySignature(SECRET, signatureOf(signing.received()), '')).toBe(true);
  });

  test('carries our signature whatever a client sends and a transform removes', async () => {
    await signing.call('mutation { forwarding }', { headers: { 'x-portico-signature': 't=1,v1=00' } });
    const received = signing.received();
    expect(verifySignature(SECRET, signatureOf(received), received.text)).toBe(true);
  });

  test('carries no signature where there is no secret, not even one of a client’s', async () => {
    const world = await keep(openActionWorld({ types, actions, environment: { OWN_SECRET: OWN } }));
    await world.call('mutation { forwarding }', { headers: { 'x-portico-signature': 't=1,v1=00', 'x-own': 'o' } });
    expect(world.received().headers).toMatchObject({ 'x-own': 'o' });
    expect(signatureOf(world.received())).toBeUndefined();
    await world.call('{ own }');
    expect(verifySignature(OWN, signatureOf(world.received()), world.received().text)).toBe(true);
  });
});

describe('the secret', () => {
  test('must be there and long enough, or the gateway does not start', async () => {
    const open = (environment: Record<string, string>) => openActionWorld({ types, actions, environment });
    await expect(open({})).rejects.toThrow(
      /actions\.yaml:\d+ actions\[1\]\.definition\.webhook_signature\.secret_from_env: Value for environment variables not found: OWN_SECRET/,
    );
    await expect(open({ OWN_SECRET: 'x'.repeat(31) })).rejects.toThrow(
      'the secret in OWN_SECRET must have at least 32 characters',
    );
    const short = open({ OWN_SECRET: OWN, PORTICO_WEBHOOK_SECRET: 'too short a secret' });
    await expect(short).rejects.toThrow('PORTICO_WEBHOOK_SECRET: expected at least 32 characters');
    await expect(short).rejects.not.toThrow('too short a secret');
  });
});

describe('the documented verification', () => {
  const now = 1_700_000_000_000;
  const body = '{"input":{}}';
  const good = webhookSignature(SECRET, body, now);
  const verify: Verify = (secret, header, text, at = now) => verifySignature(secret, header, text, at);

  test('knows a good signature, for five minutes', () => {
    expect(good).toBe(`t=1700000000,v1=${createHmac('sha256', SECRET).update(`1700000000.${body}`).digest('hex')}`);
    expect(verify(SECRET, good, body)).toBe(true);
    expect(verify(SECRET, good, body, now + 300_000)).toBe(true);
    expect(verify(SECRET, good, body, now + 301_000)).toBe(false);
    expect(verify(SECRET, good, body, now - 301_000)).toBe(false);
  });

  test('knows one good signature among several', () => {
    expect(verify(SECRET, `${good},v1=${'0'.repeat(64)}`, body)).toBe(true);
    expect(verify(SECRET, `t=1700000000,v1=${'0'.repeat(64)},v1=${good.split('v1=')[1]}`, body)).toBe(true);
  });

  test.each([
    ['another body', good, `${body} `],
    ['another time', good.replace('t=1700000000', 't=1700000001'), body],
    ['another secret', webhookSignature(OWN, body, now), body],
    ['no header', undefined, body],
    ['an empty header', '', body],
    ['no time', good.replace(/^t=\d+,/, ''), body],
    ['a time that is none', good.replace('1700000000', 'NaN'), body],
    ['no digest', 't=1700000000', body],
    ['a short digest', 't=1700000000,v1=ab', body],
    ['a digest that is no hex', `t=1700000000,v1=${'zz'.repeat(32)}`, body],
  ])('refuses %s', (_, header, text) => {
    expect(verify(SECRET, header, text)).toBe(false);
  });
});
