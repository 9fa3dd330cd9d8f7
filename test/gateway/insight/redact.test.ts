import { describe, expect, test } from '@jest/globals';
import { redactSdl, redactYaml } from '../../../gateway/insight/redact.ts';

const shown = (text: string, isHidden = false) => redactYaml(text, isHidden).text ?? '';

describe('a metadata file is shown without', () => {
  test.each<[what: string, text: string]>([
    ['the value of a header', '- name: a\n  value: s3cret'],
    ['a quoted one', '- name: a\n  value: "s3cret"'],
    ['one of several lines', '- name: a\n  value: |\n    s3cret\n    s3cret\n  other: b'],
    ['one in flow style', '[{ name: a, value: s3cret }]'],
    ['one in JSON', '{"headers":[{"name":"a","value":"s3cret"}]}'],
    ['one that is a number', '- name: a\n  value: 5532\n'.replace('5532', '5555s3cret')],
    ['a list of values', 'value:\n  - s3cret\n  - [s3cret]'],
    ['one that an alias leads to', 'common: &key s3cret\nheaders:\n  - value: *key'],
    ['one that stands elsewhere as a URL', 'url: &key https://a?b=s3cret\nheaders:\n  - value: *key'],
    ['headers that a transform adds', 'request_headers:\n  add_headers:\n    authorization: Bearer s3cret'],
    ['query parameters that a transform adds', 'query_params:\n  key: s3cret'],
    ['user information of a URL', 'url: https://someone:s3cret@host/graphql'],
    ['the query string of a URL', 'url: https://host/graphql?a=s3cret&b=s3cret'],
    ['a comment', 'url: x # s3cret\n#   value: s3cret\n# "s3cret"'],
    ['a preset that is no session variable', 'schema: |\n  type Query { a(b: Int @preset(value: "s3cret")): Int }'],
    ['what a template calls a key', 'template: \'{"api_key": "s3cret", "x": {{$body.input.x}}}\''],
    ['what a saved operation logs in by', 'query: mutation { login(password: "s3cret") { id } }'],
    [
      'a key of any spelling',
      'API_KEY: s3cret\nX-Access-Token: s3cret\nclientSecret: { a: [s3cret] }\nPassword: s3cret',
    ],
    ['what a header is, whose name says it', 'headers:\n  Authorization: s3cret\n  Set-Cookie: s3cret'],
    ['a bearer token in a text', 'comment: send Bearer s3cret.s3cret to it\nnote: "bearer s3cret-s3cret"'],
    ['a password of a URL with slashes', 'url: postgres://a:/x/s3cret/y@b/c'],
    ['a password of a URL with signs', 'url: postgres://a:x@s3cret@b/c'],
    ['an argument of any spelling', 'query: mutation { login(accessToken: "s3cret", API_KEY: "s3cret") { id } }'],
    ['a short name of a credential', 'signature: s3cret\nsigning_key: s3cret\nPIN: s3cret\npw: s3cret\nsas: s3cret'],
    ['a short name in a text', 'template: \'{"pin": "s3cret", "signature": "s3cret"}\''],
    ['a header in a block text', 'comment: |\n  send this:\n    x-api-key: s3cret\n    set-cookie: a=b; s3cret=c'],
    [
      'a part of a connection string',
      'dsn: Server=a;Password=s3cret s3cret;Pwd=a&s3cret#s3cret\nother: host=a password=s3cret',
    ],
    ['basic credentials of any spelling', 'a: basic s3cret-s3cret\nb: BASIC s3cret=='],
    ['the address of a database', 'configuration:\n  connection_info:\n    database_url: postgres://a:s3cret@b'],
  ])('%s', (_, text) => {
    expect(text).toContain('s3cret');
    expect(shown(text)).not.toContain('s3cret');
  });

  test('anything, where it is the value of a header itself', () => {
    expect(shown('s3cret', true)).not.toContain('s3cret');
    expect(shown('a:\n  - s3cret', true)).not.toContain('s3cret');
  });
});

test('names of variables, and keys that only sound like credentials, are shown', () => {
  const text = [
    'webhook_signature: { secret_from_env: SIGNING_SECRET }',
    'only_public_without_token:',
    '  - { path: /oauth/token, methods: [POST] }',
    'authentication_fields: [auth_user_login]',
    'url: https://host:8080/token',
    'schema: "type Query { token: String password: String }"',
    'query: "query ($pin: Int, $token: String = null) { pin: me(token: $token) { signature } }"',
    'text: "shipping: {{X}}; Password={{PASSWORD}};x-api-key: {{KEY}}"',
    'query_string: "https://host/a?token={{TOKEN}}"',
  ].join('\n');
  expect(shown(text)).toBe(text);
});

test('what is no credential stays as it is, on the same lines', () => {
  const text = [
    '- name: shop',
    '  definition:',
    '    url: "{{SHOP_URL}}/graphql"',
    '    headers:',
    '      - name: x-key',
    '        value: >-',
    '          s3cret',
    '          s3cret',
    '      - { name: x-other, value_from_env: SHOP_KEY } # the other one',
    '  permissions:',
    '    - role: user',
    '      definition:',
    '        schema: |',
    '          # seen by users',
    '          type Query { mine(of: ID @preset(value: "x-hasura-user-id")): Item }',
    '  comment: "a # b"',
  ];
  const lines = shown(text.join('\n')).split('\n');
  expect(lines).toHaveLength(text.length);
  for (const index of [0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15]) expect(lines[index]).toBe(text[index]);
  expect(lines[8]?.trim()).toBe('- { name: x-other, value_from_env: SHOP_KEY }');
});

test('a file that is included as a credential is named', () => {
  expect(redactYaml('headers:\n  - name: a\n    value: !include token.txt\n', false).hiddenIncludes).toEqual([
    'token.txt',
  ]);
  expect(redactYaml('headers: "!include headers.yaml"', false).hiddenIncludes).toEqual([]);
});

test('a file that cannot be read as YAML is not shown at all', () => {
  expect(redactYaml('a: [s3cret\nb: }', false).text).toBeUndefined();
});

test('aliases that lead in a circle come to an end', () => {
  expect(shown('value: &a\n  - *a\n  - s3cret')).not.toContain('s3cret');
});

test('SDL is shown without presets that are no session variables', () => {
  const sdl = 'type Query { a(b: Int @preset(value: "s3cret"), c: ID @preset(value: "x-hasura-user-id")): Int }';
  expect(redactSdl(sdl)).not.toContain('s3cret');
  expect(redactSdl(sdl)).toContain('x-hasura-user-id');
});
