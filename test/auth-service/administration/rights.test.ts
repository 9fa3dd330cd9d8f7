import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { PLATFORM_SCOPE } from '../../../auth-service/use-cases/index.ts';
import { preferredEngine } from '../../database/index.ts';
import { startTestService } from '../service.ts';
import { sessionClient } from '../session-client.ts';
import { type Administered, FIELDS, openAdministered, operationOf, PASSWORD, tokenOfClient } from './administered.ts';
import { argumentsOf, ID_ARGUMENTS, type Ids, idsOfNothing, idsOfTwo, OPERATORS_ONLY, valuesFor } from './arguments.ts';

const engine = preferredEngine();
const ALL = [
  ...FIELDS.query.map((field) => ['query', field] as const),
  ...FIELDS.mutation.map((field) => ['mutation', field] as const),
];
describe('the rights of administrators, over every field of the schema', () => {
  let it: Administered;
  let two: Ids;

  beforeAll(async () => {
    it = await openAdministered(engine);
    two = await idsOfTwo(it);
  });
  afterAll(() => it.close());

  /** The code of a refusal and the whole answer. */
  async function ask(
    kind: 'query' | 'mutation',
    name: string,
    values: Record<string, unknown>,
    token: string | undefined,
    headers: Record<string, string> = {},
  ) {
    const variables = kind === 'query' ? values : { data: values };
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await it.client.ask<{ error_code?: string | null } | null>(operationOf(kind, name), variables, {
      ...bearer,
      ...headers,
    });
    return { code: answer.code ?? answer.result?.error_code ?? null, text: answer.text, status: answer.status };
  }

  /** Every row of every table but the audit log, as text. */
  async function rows(): Promise<string> {
    const tables = await it.world.database.$queryRaw<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname NOT LIKE 'audit_log%' AND NOT relispartition ORDER BY 1`;
    const texts: string[] = [];
    for (const { name } of tables) {
      const sql = `SELECT row_to_json(t)::text AS text FROM ${name} t ORDER BY 1`;
      for (const { text } of await it.world.database.$queryRawUnsafe<{ text: string }[]>(sql)) texts.push(text);
    }
    return texts.join('\n');
  }

  /** Which fields give which code. */
  async function codesFor(token: string | undefined, headers: Record<string, string> = {}) {
    const codes = new Set<string | null>();
    for (const [kind, field] of ALL)
      codes.add((await ask(kind, field.name, valuesFor(field, two), token, headers)).code);
    return [...codes];
  }

  test('there are fields to be looked at, and each of the operators’ is one of them', () => {
    const names = ALL.map(([, { name }]) => name);

    expect(names.length).toBeGreaterThan(25);
    expect([...OPERATORS_ONLY].filter((name) => !names.includes(name))).toEqual([]);
  });

  test('without a token, or with one that is none of ours any more, no field answers', async () => {
    const before = await rows();
    const { tokens } = it;
    const [header = '', payload = ''] = tokens.operator.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = {
      'nothing at all': undefined,
      'a text': 'abc',
      'another key': jwt.sign(claims, privateKey, { algorithm: 'ES256', header: { alg: 'ES256', kid, typ: 'at+jwt' } }),
      'no signature': `${encoded({ alg: 'none', typ: 'at+jwt', kid })}.${payload}.`,
      'other claims': tokens.robot.replace(/\.[^.]*\./, `.${payload}.`),
    };

    for (const [what, token] of Object.entries(forged))
      expect([what, await codesFor(token)]).toEqual([what, ['invalid-jwt']]);
    expect(await rows()).toBe(before);
  });

  test('a token for another audience, or of an hour ago, is none', async () => {
    const elsewhere = await startTestService(it.world.databaseUrl, { AUTH_AUDIENCE: 'another-service' });
    const earlier = await startTestService(it.world.databaseUrl, {}, { now: () => new Date(Date.now() - 3_600_000) });
    try {
      for (const { url } of [elsewhere, earlier]) {
        const { access_token } = await sessionClient(url).login('anna', PASSWORD, 1);
        expect(await codesFor(access_token)).toEqual(['invalid-jwt']);
      }
    } finally {
      await elsewhere.stop();
      await earlier.stop();
    }
  });

  test('users without the role and service accounts without the scope administer nothing, whatever headers they send', async () => {
    const unasked = await tokenOfClient(it.world, { scopes: [PLATFORM_SCOPE, 'orders:read'], scope: 'orders:read' });
    const before = await rows();
    const headers = {
      'x-hasura-role': 'tenant_admin',
      'x-hasura-user-id': it.ids.anna ?? '',
      'x-hasura-tenant-id': '1',
      'x-hasura-allowed-roles': '["tenant_admin","platform_operator","admin"]',
      'x-hasura-admin-secret': 'secret',
      'x-portico-assertion': it.tokens.operator,
      'x-forwarded-user': 'anna',
    };

    for (const token of [it.tokens.bob, it.tokens.robot, unasked])
      expect(await codesFor(token, headers)).toEqual(['not-administrator']);
    expect(await rows()).toBe(before);
    const entries = await it.world.database.auditEntry.findMany({ where: { event: 'admin.access' } });
    expect(entries).toContainEqual(expect.objectContaining({ tenantId: 1, outcome: 'refused', actorId: it.ids.bob }));
  });

  test('an administrator of a tenant has none of the operators’ fields', async () => {
    const before = await rows();
    for (const [kind, field] of ALL) {
      if (!OPERATORS_ONLY.has(field.name)) continue;
      for (const tenant_id of [1, 2, 999_999, null]) {
        const { code } = await ask(kind, field.name, valuesFor(field, { ...two, tenant_id }), it.tokens.anna);
        expect([field.name, code]).toEqual([field.name, 'operators-only']);
      }
    }
    expect(await rows()).toBe(before);
  });

  test('another tenant’s id in any argument is answered as one that does not exist, and changes nothing', async () => {
    const before = await rows();
    const nothing = idsOfNothing();
    const own: Ids = { ...nothing, tenant_id: null, user_id: it.ids.bob ?? '', username: 'bob' };
    let attacks = 0;
    for (const [kind, field] of ALL) {
      if (OPERATORS_ONLY.has(field.name)) continue;
      const names = argumentsOf(field);
      const attack = async (theirs: Ids, unknown: Ids) => {
        attacks += 1;
        const [answer, reference] = [theirs, unknown].map((ids) => valuesFor(field, ids));
        const seen = await ask(kind, field.name, answer ?? {}, it.tokens.anna);
        expect([field.name, seen]).toEqual([field.name, await ask(kind, field.name, reference ?? {}, it.tokens.anna)]);
        expect([field.name, seen.code]).toEqual([field.name, expect.stringMatching(/^unknown-/)]);
        expect(seen.text).not.toMatch(/otto|olga|globex/);
      };
      if (names.includes('tenant_id')) await attack(two, nothing);
      for (const name of ID_ARGUMENTS)
        if (names.includes(name))
          for (const tenant_id of [null, 1])
            await attack({ ...own, [name]: two[name], tenant_id }, { ...own, [name]: nothing[name], tenant_id });
    }

    expect(attacks).toBeGreaterThan(25);
    expect(await rows()).toBe(before);
  });

  test('what an administrator of a tenant reads says nothing of others, wherever a cursor comes from', async () => {
    for (const field of FIELDS.query) {
      const all = await it.client.ask<{ next?: string | null }>(
        operationOf('query', field.name),
        { ...valuesFor(field, { ...two, tenant_id: 2 }), first: 1 },
        { authorization: `Bearer ${it.tokens.operator}` },
      );
      const own = { ...idsOfNothing(), tenant_id: 1, user_id: it.ids.bob ?? '' };
      const after = all.result?.next ?? null;
      const { text } = await ask('query', field.name, { ...valuesFor(field, own), after }, it.tokens.anna);
      expect([field.name, text]).toEqual([field.name, expect.not.stringMatching(/otto|olga|globex|"tenant_id":2/)]);
    }
  });
});
