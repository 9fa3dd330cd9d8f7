import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bearer, keeper } from '../harness/index.ts';
import { openActionsGateway } from './actions-gateway.ts';

const { keep, close } = keeper();
afterAll(close);
const actions = await keep(openActionsGateway());
const { issuer, token, hook, gateway, call, answerWith } = actions;
beforeEach(actions.forget);

describe('an action that my role is not permitted', () => {
  test.each([
    ['managed', 'Cannot query field "managed" on type "Query".'],
    ['secret', 'Cannot query field "secret" on type "Query".'],
  ])('does not exist for me: %s', async (name, message) => {
    const { body } = await call(`{ ${name} }`);
    expect(body.errors?.[0]).toMatchObject({ message, extensions: { code: 'validation-failed' } });
    expect(hook.requests).toHaveLength(0);
  });

  test('is there for the role that it is permitted to, and for the admin', async () => {
    answerWith(200, 'hello');
    expect((await call('{ managed }', { headers: { 'x-hasura-role': 'manager' } })).body.data).toEqual({
      managed: 'hello',
    });
    const admin = issuer.token({ role: 'admin', roles: ['admin'] });
    expect((await call('{ managed secret }', { token: admin })).body.data).toEqual({
      managed: 'hello',
      secret: 'hello',
    });
  });

  test('is a mistake of mine over REST, not a failure of the service', async () => {
    const manager = issuer.token({ role: 'manager' });
    const { status, body } = await gateway.post('/api/rest/change', { id: '1' }, bearer(manager));
    expect([status, body]).toMatchObject([400, { code: 'validation-failed' }]);
    expect((await gateway.send('/api/rest/managed', { headers: bearer(token) })).status).toBe(400);
    expect(hook.requests).toHaveLength(0);
  });

  test('a mutation of a role that has none is a validation error', async () => {
    const { body } = await call('mutation { change(id: 1) { id } }', { token: issuer.token({ role: 'manager' }) });
    expect(body.errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect(body).not.toHaveProperty('data');
  });
});
