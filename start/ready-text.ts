/** Which examples the metadata supports. */
export interface Examples {
  readonly login: boolean;
  readonly orders: boolean;
}

/** The message when all services run: at most 20 lines, each command ready to paste. */
export function readyText(gatewayUrl: string, demoData: boolean, examples: Examples): string {
  const graphql = `${gatewayUrl}/v1/graphql`;
  const json = "-H 'content-type: application/json'";
  const restLogin = `curl -sS ${gatewayUrl}/api/rest/auth_user_login ${json} -d '${JSON.stringify(ALICE)}'`;
  const graphqlLogin = `curl -sS ${graphql} ${json} -d '${JSON.stringify({ query: LOGIN, variables: ALICE })}'`;
  const takeToken = `node -pe 'JSON.parse(fs.readFileSync(0)).auth_user_login.data.access_token'`;
  const ordersQuery = JSON.stringify({ query: '{ orders { id item quantity status } }' });
  return [
    '',
    `Portico is ready: ${gatewayUrl}   (a page to begin with; GraphQL at /v1/graphql, REST at /api/rest; Ctrl-C stops it)`,
    '',
    ...(demoData ? DEMO_ACCOUNTS_TEXT : NO_DEMO_ACCOUNTS),
    '',
    ...(examples.login
      ? ['Log in over REST:', `  ${restLogin}`, 'Log in over GraphQL:', `  ${graphqlLogin}`]
      : ['The metadata has no login: `npx portico init --with-login` writes some that has.']),
    ...(examples.login && examples.orders
      ? [
          "See the orders of alice's tenant:",
          `  TOKEN=$(${restLogin} | ${takeToken})`,
          `  curl -sS ${graphql} -H "authorization: Bearer $TOKEN" ${json} -d '${ordersQuery}'`,
        ]
      : []),
    '',
  ].join('\n');
}

const ALICE = { username: 'alice', password: 'alice-acme-demo-pass', tenant_id: 1 };

const LOGIN =
  'mutation auth_user_login($username: String, $password: String, $tenant_id: Int) ' +
  '{ auth_user_login(data: {username: $username, password: $password, tenant_id: $tenant_id}) ' +
  '{ success error_message data { access_token expires_in refresh_token } } }';

const DEMO_ACCOUNTS_TEXT = [
  'Demo accounts (user, password, roles):',
  '  tenant 1 acme     alice   alice-acme-demo-pass     user, manager',
  '                    bob     bob-acme-demo-pass       user',
  '                    carol   carol-acme-demo-pass     disabled',
  '                    dora    dora-acme-demo-pass      user, tenant_admin',
  '  tenant 2 globex   alice   alice-globex-demo-pass   user, manager',
  'Platform operator (client_id, client_secret for POST /oauth/token, see docs/administration.md):',
  '  7c0e4c5e-94f6-4d0e-8d2a-0d9a3f1c5b6e   operator-demo-secret',
];

const NO_DEMO_ACCOUNTS = ['DATABASE_URL is set, so no demo accounts were made; `npm run seed:demo` makes them.'];
