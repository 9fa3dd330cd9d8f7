import { type GatewayOptions, openGateway, type TestGateway } from '../harness/gateway.ts';
import { type Issuer, openIssuer } from '../harness/issuer.ts';
import { keeper } from '../harness/keep.ts';
import { accountsUpstream } from '../harness/platform.ts';
import { type GraphqlUpstream, graphqlUpstream } from '../harness/upstream.ts';

const TREES = /* GraphQL */ `
  type Query {
    tree: Tree
    hello: String
    sum(of: [Int!]!): Int
  }
  type Mutation {
    plant: String
  }
  type Tree {
    id: ID!
    next: Tree
    branches: [Tree!]!
  }
`;

const tree = (): Record<string, unknown> => ({ id: '1', next: tree, branches: () => [tree()] });

export interface Forest {
  readonly issuer: Issuer;
  readonly trees: GraphqlUpstream;
  readonly accounts: GraphqlUpstream;
  /** A gateway in front of both; `metadata` and `environment` are put over what they are otherwise. */
  gateway(options?: Pick<GatewayOptions, 'metadata' | 'environment'>): Promise<TestGateway>;
  forget(): void;
  close(): Promise<void>;
}

/** A service of trees without end, open to whoever is logged in, and the accounts service with its public login. */
export async function openForest(): Promise<Forest> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const accounts = await keep(accountsUpstream());
  const trees = await keep(
    graphqlUpstream(TREES, { Query: { tree, hello: () => 'hello' }, Mutation: { plant: () => 'planted' } }),
  );
  const login =
    'type Query { account_count: Int! } type Mutation { auth_user_login(data: AuthUserLoginInput!): AuthUserLoginResult! auth_token_refresh: AuthUserLoginResult! } input AuthUserLoginInput { username: String password: String tenant_id: Int } type AuthUserLoginResult { success: Boolean! error_message: String }';
  const metadata = {
    'remote_schemas.yaml': [
      {
        name: 'accounts',
        definition: { url: accounts.graphqlUrl, authentication_fields: ['auth_user_login', 'auth_token_refresh'] },
        permissions: [{ role: 'anonymous', definition: { schema: login } }],
      },
      { name: 'trees', definition: { url: trees.graphqlUrl } },
    ],
  };
  return {
    issuer,
    trees,
    accounts,
    gateway: ({ metadata: more, environment } = {}) =>
      keep(openGateway({ issuer, metadata: { ...metadata, ...more }, ...(environment && { environment }) })),
    forget: () => {
      trees.forget();
      accounts.forget();
    },
    close,
  };
}

/** A document that is `depth` levels deep. */
export function deep(depth: number): string {
  return `{ tree { ${'next { '.repeat(depth - 1)} id ${'} '.repeat(depth - 1)} } }`;
}

/** A login that needs no token. */
export const PUBLIC_LOGIN = 'mutation { auth_user_login(data: { username: "a", password: "right" }) { success } }';
