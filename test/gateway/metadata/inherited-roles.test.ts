import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeProblem } from '../../../gateway/metadata/index.ts';
import { load, loadExport, problemsIn, remote } from './load.ts';

const inherits = (role_name: string, ...role_set: string[]) => ({ role_name, role_set });
const permission = (role: string, schema: string) => ({ role, definition: { schema } });
const ORDERS = 'type Query { orders: [String] total: Int }';
const TOTAL = 'type Query { total: Int }';

function rolesOf(files: Record<string, unknown>) {
  const { remoteSchemas, actions, services, warnings } = load(files);
  const permitted = (list: readonly { readonly role: string }[] | undefined) => list?.map(({ role }) => role);
  return {
    remoteSchemas: remoteSchemas.map(({ permissions }) =>
      permissions?.map(({ role, definition }) => [role, definition.schema]),
    ),
    actions: actions.actions.map(({ permissions }) => permitted(permissions)),
    services: services.map(({ permissions }) => permitted(permissions)),
    warnings: warnings.map(describeProblem),
  };
}

const onShop = (...permissions: object[]) => ({ 'remote_schemas.yaml': [{ ...remote('shop'), permissions }] });

describe('an inherited role', () => {
  test('may call an action or a service that one of its roles may call, at any depth', () => {
    const { actions, services } = rolesOf({
      'actions.yaml': {
        actions: ['ping', 'pong', 'mine'].map((name) => ({
          name,
          definition: { handler: 'http://127.0.0.1:1/' },
          permissions: { ping: [{ role: 'clerk' }], pong: [{ role: 'buyer' }], mine: [] }[name],
        })),
      },
      'actions.graphql': 'type Query { ping: String pong: String mine: String }',
      'services.yaml': [
        { name: 'files', path: '/files', url: 'http://127.0.0.1:1', permissions: [{ role: 'buyer' }] },
        { name: 'open', path: '/open', url: 'http://127.0.0.1:1' },
      ],
      'inherited_roles.yaml': [inherits('head', 'manager'), inherits('manager', 'clerk', 'buyer')],
    });
    expect(actions).toEqual([['clerk', 'manager', 'head'], ['buyer', 'manager', 'head'], []]);
    expect(services).toEqual([['buyer', 'manager', 'head'], undefined]);
  });

  test('has the permission on a remote schema that those of its roles have in common, however it is written', () => {
    const same = '"""All""" type Query { total: Int\n # more\n orders: [String] }';
    const { remoteSchemas, warnings } = rolesOf({
      ...onShop(permission('clerk', ORDERS), permission('buyer', same)),
      'inherited_roles.yaml': [inherits('manager', 'clerk', 'buyer', 'guest'), inherits('guest', 'clerk')],
    });
    expect(remoteSchemas).toEqual([
      [
        ['clerk', ORDERS],
        ['buyer', same],
        ['guest', ORDERS],
        ['manager', ORDERS],
      ],
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['other fields', permission('buyer', TOTAL)],
    [
      'another preset',
      permission('buyer', 'type Query { orders(of: ID @preset(value: "x-hasura-user-id")): [String] }'),
    ],
    [
      'a preset with the items of a list in another order',
      permission('buyer', 'type Query { orders(of: [Int] @preset(value: [2, 1])): [String] }'),
      'type Query { orders(of: [Int] @preset(value: [1, 2])): [String] }',
    ],
    [
      'a default value with the items of a list in another order',
      permission('buyer', 'type Query { orders(of: [Int] = [2, 1]): [String] }'),
      'type Query { orders(of: [Int] = [1, 2]): [String] }',
    ],
  ])('has none where those of its roles differ: %s', (_, other, schema = ORDERS) => {
    const { remoteSchemas, warnings } = rolesOf({
      ...onShop(permission('clerk', schema), other),
      'inherited_roles.yaml': [inherits('manager', 'clerk', 'buyer'), inherits('head', 'clerk', 'manager')],
    });
    expect(remoteSchemas[0]?.map(([role]) => role)).toEqual(['clerk', 'buyer']);
    expect(warnings).toEqual([
      'inherited_roles.yaml:2 [0].role_set: "manager" sees nothing of the remote schema "shop": its roles "clerk" and "buyer" have different permissions there; give the role its own permission to resolve this',
      'inherited_roles.yaml:6 [1].role_set: "head" sees nothing of the remote schema "shop" because the roles of its role "manager" have different permissions there',
    ]);
  });

  test('has its own permission and nothing else where it has one', () => {
    const { remoteSchemas, warnings } = rolesOf({
      ...onShop(permission('clerk', ORDERS), permission('buyer', TOTAL), permission('manager', TOTAL)),
      'inherited_roles.yaml': [inherits('manager', 'clerk', 'buyer'), inherits('head', 'manager')],
    });
    expect(remoteSchemas[0]?.slice(2)).toEqual([
      ['manager', TOTAL],
      ['head', TOTAL],
    ]);
    expect(warnings).toEqual([]);
  });

  test('gets nothing where nothing is permitted, and a remote schema without permissions stays as it is', () => {
    const { remoteSchemas } = rolesOf({
      'remote_schemas.yaml': [remote('open'), { ...remote('closed'), permissions: [] }],
      'inherited_roles.yaml': [inherits('manager', 'clerk')],
    });
    expect(remoteSchemas).toEqual([undefined, []]);
  });

  test('stands in an export as it was written', () => {
    const inherited_roles = [inherits('manager', 'clerk')];
    const { asWritten, inheritedRoles } = loadExport({ version: 3, sources: [], inherited_roles });
    expect(asWritten).toMatchObject({ inherited_roles });
    expect(inheritedRoles).toEqual(inherited_roles);
  });
});

describe('inherited roles are refused', () => {
  test.each([
    ['that inherit from themselves', [inherits('a', 'b', 'a')], ['"a" from "a"']],
    [
      'in a circle',
      [inherits('a', 'b'), inherits('b', 'c'), inherits('c', 'user', 'a')],
      ['"a" from "b" from "c" from "a"'],
    ],
    ['twice', [inherits('a', 'b'), inherits('a', 'c')], ['the inherited role "a" already exists']],
    ['that are the admin', [inherits('admin', 'b')], ['the role "admin" sees everything']],
    ['without a set', [{ role_name: 'a' }], ['[0].role_set: is missing']],
    ['with a misspelt key', [{ role_name: 'a', role_sett: ['b'] }], ['did you mean "role_set"?']],
  ])('%s', (_, roles, expected) => {
    const problems = problemsIn({ 'inherited_roles.yaml': roles }).map(describeProblem);
    for (const text of expected) expect(problems.join('\n')).toContain(text);
    expect(problems.filter((problem) => problem.includes('from itself')).length).toBeLessThan(2);
  });
});

test.each([
  [
    'a role that nothing is permitted to',
    ['clrek'],
    'grants nothing: no remote schema, action or service has a permission for the role "clrek"',
  ],
  ['the admin', ['admin'], 'grants nothing: the role "admin" has no permissions to inherit'],
])('%s is reported as without effect', (_, role_set, message) => {
  const { warnings, remoteSchemas } = rolesOf({
    ...onShop(permission('clerk', ORDERS)),
    'inherited_roles.yaml': [inherits('manager', ...role_set)],
  });
  expect(warnings.join('\n')).toContain(message);
  expect(remoteSchemas[0]?.map(([role]) => role)).toEqual(['clerk']);
});

test('whatever is inherited by whom, no role gets more than the roles that it inherits from have', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const role = fc.constantFrom(...names);
  const sdl = fc.constantFrom(ORDERS, TOTAL, 'type Query { total: Int orders: [String] }');
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ role, sdl }), { selector: (one) => one.role, maxLength: 4 }),
      fc.uniqueArray(fc.record({ role_name: role, role_set: fc.array(role, { maxLength: 3 }) }), {
        selector: (one) => one.role_name,
        maxLength: 4,
      }),
      (permissions, inherited) => {
        const files = {
          ...onShop(...permissions.map((one) => permission(one.role, one.sdl))),
          'inherited_roles.yaml': inherited,
        };
        let given: readonly (readonly string[])[];
        try {
          given = (rolesOf(files).remoteSchemas[0] ?? []) as readonly (readonly string[])[];
        } catch {
          // Circles are refused.
          return;
        }
        const own = new Map(permissions.map((one) => [one.role, one.sdl]));
        const ancestors = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
          for (const parent of inherited.find((one) => one.role_name === name)?.role_set ?? [])
            if (!seen.has(parent)) ancestors(parent, seen.add(parent));
          return seen;
        };
        for (const [name = '', schema = ''] of given) {
          const allowed = own.has(name) ? [own.get(name)] : [...ancestors(name)].map((one) => own.get(one));
          expect(allowed).toContain(schema);
        }
        expect(new Set(given.map(([name]) => name)).size).toBe(given.length);
      },
    ),
    { numRuns: 100 },
  );
});
