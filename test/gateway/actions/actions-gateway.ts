import {
  type Answer,
  endpoint,
  type GraphqlBody,
  type GraphqlOptions,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  reply,
  type TestGateway,
  type TestServer,
  webhook,
} from '../harness/index.ts';

const TYPES = /* GraphQL */ `
  type Query {
    object: Thing
    required: Thing!
    list: [Thing!]!
    text: String
    number: Int
    decimal: Float
    flag: Boolean
    id: ID
    texts: [String]
    json: JSON
    mood: Mood
    echo(arg: EchoInput!, note: String, count: Int = 3, mood: Mood, extra: JSON): Thing
    managed: String
    secret: String
  }
  extend type Mutation {
    change(id: ID!): Thing
    other: Thing
  }
  type Thing {
    id: ID!
    name: String
    size: Int
    nested: Nested
  }
  type Nested {
    must: String!
    things: [Thing]
  }
  input EchoInput {
    username: String
    tags: [String!]
    mood: Mood
  }
  enum Mood {
    HAPPY
    SAD
  }
  scalar JSON
`;

const NAMES = [...TYPES.matchAll(/^ {4}(\w+)(?:\(.*\))?:/gm)].map((match) => match[1] ?? '').slice(0, 16);

const action = (name: string, more: Record<string, unknown> = {}, roles = ['user']) => ({
  name,
  definition: { handler: `{{HOOK_URL}}/${name}`, timeout: 0.5, ...more },
  permissions: roles.map((role) => ({ role })),
});

const SPECIAL: Record<string, ReturnType<typeof action>> = {
  managed: action('managed', {}, ['manager']),
  secret: action('secret', {}, []),
  object: action('object', { headers: [{ name: 'X-Key', value_from_env: 'HOOK_KEY' }] }),
  text: action('text', { headers: [{ name: 'User-Agent', value: 'hasura-graphql-engine/v2' }] }),
  other: action('other', { forward_client_headers: true, ignored_client_headers: ['X-Private'] }),
};

const SAVED = [
  { name: 'object', query: 'query named { object { id } }' },
  { name: 'change', query: 'mutation ($id: ID!) { change(id: $id) { id } }' },
  { name: 'managed', query: '{ managed }' },
];

export type Answering = Parameters<typeof webhook>[0];

export interface ActionsGateway {
  readonly issuer: Issuer;
  /** A token of the role `user`. */
  readonly token: string;
  readonly hook: TestServer;
  readonly gateway: TestGateway;
  /** Sends an operation as a user. */
  call(query: string, options?: GraphqlOptions): Promise<Answer<GraphqlBody>>;
  /** What the webhook does from now on. */
  answerBy(answering: Answering): void;
  answerWith(status: number, body: unknown, headers?: Record<string, string | string[]>): void;
  /** Forgets what was asked; the webhook answers null again. */
  forget(): void;
  close(): Promise<void>;
}

/** A gateway with actions of every output type, all of them answered by one webhook. */
export async function openActionsGateway(): Promise<ActionsGateway> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const token = issuer.token();
  let answering: Answering = () => null;
  const hook = await keep(webhook((received, response) => answering(received, response)));
  const gateway = await keep(
    openGateway({
      issuer,
      environment: { HOOK_URL: hook.url, HOOK_KEY: 'the key' },
      metadata: {
        'actions.graphql': TYPES,
        'actions.yaml': { actions: NAMES.map((name) => SPECIAL[name] ?? action(name)) },
        'query_collections.yaml': [{ name: 'saved', definition: { queries: SAVED } }],
        'rest_endpoints.yaml': SAVED.map(({ name }) => endpoint(name, name, ['GET', 'POST'])),
      },
    }),
  );
  return {
    issuer,
    token,
    hook,
    gateway,
    call: (query, options) => gateway.graphql(query, { token, ...options }),
    answerBy: (by) => {
      answering = by;
    },
    answerWith: (status, body, headers) => {
      answering = (_, response) => reply(response, status, body, headers);
    },
    forget: () => {
      hook.requests.length = 0;
      answering = () => null;
    },
    close,
  };
}
