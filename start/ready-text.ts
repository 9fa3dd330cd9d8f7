import { DEMO_OPERATOR } from '../auth-service/cli/demo-operator.ts';

/** What there is to try. */
export interface Examples {
  /** Whether the metadata has the login, and the orders of the sample service. */
  readonly login: boolean;
  readonly orders: boolean;
  /** Whether the gateway has its console. */
  readonly console: boolean;
  /** Whether the demo's platform operator can log in. */
  readonly operator: boolean;
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
    `Portico is ready: ${gatewayUrl}   (GraphQL: /v1/graphql, REST: /api/rest; press Ctrl-C to stop)`,
    ...(examples.console ? [`Console: ${gatewayUrl}/console/   (log in and explore the API in your browser)`] : []),
    '',
    ...(demoData ? DEMO_ACCOUNTS_TEXT : NO_DEMO_ACCOUNTS),
    ...(examples.operator ? OPERATOR_TEXT : []),
    '',
    ...(examples.login
      ? ['Log in over REST:', `  ${restLogin}`, 'Log in over GraphQL:', `  ${graphqlLogin}`]
      : ['The metadata has no login. `npx portico init --with-login` creates metadata with a login.']),
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
];

const OPERATOR_TEXT = [
  'Platform operator (client_id, client_secret for POST /oauth/token, see docs/administration.md):',
  `  ${DEMO_OPERATOR.clientId}   ${DEMO_OPERATOR.clientSecret}`,
];

const NO_DEMO_ACCOUNTS = [
  'DATABASE_URL is set, so no demo accounts were created. Run `npm run seed:demo` to create them.',
];
