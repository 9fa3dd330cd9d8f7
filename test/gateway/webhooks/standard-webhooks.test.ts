import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { resolveSecrets, standardWebhookHeaders, webhookSignatures } from '../../../gateway/webhooks/calls/index.ts';

const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PLAIN = 'a secret of one webhook, known to that one';
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', nowMs: 1_614_265_330_000 };

describe('a signature of Standard Webhooks', () => {
  test('is that of the specification’s example', () => {
    expect(standardWebhookHeaders([STANDARD], message)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test.each([
    ['of the standard form', STANDARD, STANDARD],
    ['of another form', PLAIN, Buffer.from(PLAIN).toString('base64')],
  ])('is verified by the reference library with a secret %s', (_, secret, theirs) => {
    const now = { ...message, body: '{"data":"ü€😀"}', nowMs: Date.now() };
    const headers = standardWebhookHeaders([secret], now);
    expect(new Webhook(theirs).verify(now.body, headers)).toEqual({ data: 'ü€😀' });
    expect(() => new Webhook(theirs).verify(`${now.body} `, headers)).toThrow();
  });

  test('is there once for each secret while it is changed: the old and the new one verify', () => {
    const now = { ...message, nowMs: Date.now() };
    const headers = standardWebhookHeaders([PLAIN, STANDARD], now);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [STANDARD, Buffer.from(PLAIN).toString('base64')])
      expect(() => new Webhook(secret).verify(now.body, headers)).not.toThrow();
    expect(webhookSignatures([PLAIN, STANDARD], now.body, 0)).toMatch(/^t=0,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  });
});

test.each<[what: string, secret: string, problem: RegExp | undefined]>([
  ['a long text', PLAIN, undefined],
  ['24 bytes in base64', STANDARD, undefined],
  ['a short text', 'x'.repeat(31), /must have at least 32 characters/],
  ['few bytes in base64', `whsec_${Buffer.alloc(23).toString('base64')}`, /24 to 64 bytes/],
  ['many bytes in base64', `whsec_${Buffer.alloc(65).toString('base64')}`, /24 to 64 bytes/],
  ['no base64', `whsec_${'ü'.repeat(40)}`, /24 to 64 bytes/],
])('a secret that is %s is judged at the start', (_, secret, problem) => {
  const resolved = resolveSecrets(['SECRET', undefined], { SECRET: secret });
  if (problem) {
    expect(resolved).toEqual({ problem: expect.stringMatching(problem) });
    expect(JSON.stringify(resolved)).not.toContain(secret);
  } else expect(resolved).toEqual({ secrets: [secret] });
});

test('a secret of the platform itself is not for webhooks', () => {
  expect(resolveSecrets(['HASURA_GRAPHQL_ADMIN_SECRET'], { HASURA_GRAPHQL_ADMIN_SECRET: PLAIN })).toEqual({
    problem: expect.stringContaining('secrets of the platform itself'),
  });
});
