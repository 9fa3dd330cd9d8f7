import { describe, expect, test } from '@jest/globals';
import { redactSdl, redactYaml } from '../../../gateway/operations/insight/redact.ts';

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
    [
      'a key that is a password in short',
      'pass: s3cret\ndb_pass: s3cret\nsmtpPass: s3cret\nDB_PASS2: s3cret\nauth: s3cret',
    ],
    [
      'a key that opens something',
      'AccountKey: s3cret\nsubscription-key: s3cret\nkey: s3cret\njwt: s3cret\nPSK: s3cret',
    ],
    ['a connection string', 'dsn: scott/s3cret@host\nconnectionString: any s3cret\nconnection_uri: s3cret'],
    [
      'a password in a text',
      'comment: "log in as alice, password: s3cret s3cret"\nnote: |\n  the pass: s3cret\nother: password => s3cret',
    ],
    ['a password with any sign in a text', 'comment: "password: a,s3cret;s3cret"\nnote: |\n  Pass: a}s3cret\n  b: c'],
    ['a password on the next line of a text', 'comment: |\n  `password`:\n    s3cret\n  b: c'],
    ['a quoted password with quotes in it', String.raw`template: '{"password": "a\"s3cret", "b": "it''s"}'`],
    ['one in a text in quotes', String.raw`template: "{\"password\": \"s3cret\", \"pass\": \"s3cret\"}"`],
    ['the default of a variable', `query: 'query ($password: String! = "s3cret") { login(password: $password) }'`],
    [
      'what a description or a comment of GraphQL says',
      'schema: |\n  """password: s3cret"""\n  type Query { a: Int # pass: s3cret\n  }',
    ],
    [
      'the fragment of a URL',
      'url: https://host/a#access_token=s3cret\nother: "{{HOST}}/a#s3cret"\nmore: see https://h#a=b&s3cret',
    ],
    ['a query string without names', 'url: https://host/a?s3cret\nother: "https://host/a?b={{B}}&s3cret#c"'],
    ['a header without a hyphen in a text', 'comment: |\n  Authorization: s3cret\n  Cookie: a=b; s3cret=c'],
    [
      'a credential of another scheme',
      'a: ApiKey s3cret-s3cret\nb: Negotiate s3cret==\nc: curl -u me:s3cret https://host',
    ],
    ['what is a token by its form', 'a: see eyJhbGciOiJ.s3cret.s3cret\nb: use ghp_s3crets3cret\nc: AKIAs3crets3cret'],
    ['a token behind a hyphen or a dot', 'a: x-eyJhbGciOiJ.s3cret.s3cret\nb: from.the.gateway.eyJhbGciOiJ.s3cret.s3'],
    ['a password of a URL with braces', 'a: postgres://u:p{s3cret}d@h\nb: redis://u:{s3cret@h\nc: redis://{s3cret}@h'],
    ['user information of a URL without a scheme', 'url: //someone:s3cret@host/graphql\nother: see //s3cret@host'],
    [
      'credentials of curl without a space',
      'a: curl -uadmin:s3cret https://host\nb: curl -u admin:s3cret https://host',
    ],
    [
      'a password in a block of a text',
      'comment: |\n  password: |\n    s3cret\n    s3cret\n\n    s3cret\n  a: b\n  token: >-\n\n      s3cret',
    ],
    ['a private key', 'a: |\n  -----BEGIN RSA PRIVATE KEY-----\n  s3cret\n  s3cret\n  -----END RSA PRIVATE KEY-----'],
    [
      'parts of connection strings of clouds',
      'a: Endpoint=sb://x/;SharedAccessKeyName=b;SharedAccessKey=s3cret=;AccountKey=s3cret',
    ],
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
    'fragment: "{{BASE}}/a?x={{X}}#{{FRAGMENT}}"',
    'keep_credentials: [authorization, x-api-key]',
    'order_key: subject',
    'pass_through: true',
    'primary_key: id',
    'words: "bypass: a, compass: b"',
    'hosts: [http://auth:4001/graphql, "redis://token:6379"]',
    `response: '{"ok": {{if $body.token == "a"}} 1 {{else}} 2 {{end}}, "password": {{$body.input.password}}}'`,
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

test('a block in a text is hidden as it stands, with what follows it shown', () => {
  const text = 'comment: |\n  password: |\n    one\n    two\n  a: b\n';
  expect(shown(text)).toBe('comment: |\n  password: |\n    ********\n\n  a: b\n');
});

test('variables within user information of a URL are shown', () => {
  const text = 'a: postgres://{{USER}}:{{PASSWORD}}@h/d\nb: "//{{USER}}@h"\nc: see // a@b\nd: a//b:c@d';
  expect(shown(text)).toBe(text);
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

test('numbers of arguments that are named as credentials are not shown, and types of fields are', () => {
  expect(redactSdl('type Query { pin(pass: Int = 5532): Int token: String }')).toBe(
    'type Query { pin(pass: Int = ********): Int token: String }',
  );
  expect(shown('query: "mutation { login(pin: 5532, id: 1) { token } }"')).toBe(
    'query: "mutation { login(pin: ********, id: 1) { token } }"',
  );
});

test('lines of a private key stay lines', () => {
  const text = 'a: |\n  -----BEGIN PRIVATE KEY-----\n  one\n  two\n  -----END PRIVATE KEY-----\nb: c\n';
  expect(shown(text).split('\n')).toHaveLength(text.split('\n').length);
  expect(shown(text)).not.toMatch(/one|two/);
});
