import {
  endpoint,
  type GatewayOptions,
  type GraphqlUpstream,
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  reply,
  serve,
  type TestGateway,
  type TestServer,
  webhook,
} from '../harness/index.ts';

const DESK = /* GraphQL */ `
  type Query {
    notice: String
    motto: String
    whoami: String
  }
  type Mutation {
    enter(name: String): Ticket
    renew(number: Int): Ticket
    leaveNote(text: String): String
  }
  type Ticket {
    success: Boolean!
  }
`;

const PUBLIC = DESK.replace('whoami: String', '');

/** What callers send: what it is, and what of it is said in the metadata. */
export const OPERATIONS = {
  'an authentication field': 'mutation { enter(name: "a") { success } }',
  'an authentication field under an alias': 'mutation { notice: renew(number: 1) { success } }',
  'an authentication field in a fragment':
    'mutation { ...entering } fragment entering on Mutation { enter { success } }',
  'two authentication fields': 'mutation { enter { success } renew { success } }',
  'a public field': '{ notice }',
  'a public field under the name of an authentication field': '{ enter: notice }',
  'two public fields': '{ notice motto }',
  'a public field and a public action': '{ notice weather { text } }',
  'a public action': '{ weather { text } }',
  'a public mutation': 'mutation { leaveNote(text: "n") }',
  'an authentication field and a public one': 'mutation { enter { success } leaveNote(text: "n") }',
  'a private field': '{ whoami }',
  'a public and a private field': '{ notice whoami }',
  'an introspection': '{ __schema { queryType { name } } }',
  'the name of the root': '{ __typename }',
} as const;

export type OperationName = keyof typeof OPERATIONS;

export interface FrontDesk {
  readonly issuer: Issuer;
  readonly desk: GraphqlUpstream;
  readonly weather: TestServer;
  readonly gateway: TestGateway;
  /** As whom services and webhooks were called since the last time, as `user 7`. */
  calledAs(): readonly string[];
  close(): Promise<void>;
}

/** The remote schema of the desk, with the authentication fields that are given. */
export function deskMetadata(definition: object = { authentication_fields: ['enter', 'renew'] }) {
  return {
    name: 'desk',
    definition: { url: '{{DESK_URL}}', ...definition },
    permissions: [
      { role: 'anonymous', definition: { schema: PUBLIC } },
      { role: 'user', definition: { schema: DESK } },
      { role: 'manager', definition: { schema: DESK } },
    ],
  };
}

/**
 * A service and an action of which nearly everything is public, in front of which a gateway stands. `enter` and `renew`
 * are its authentication fields. Tokens of the session `gone` are revoked.
 */
export async function openFrontDesk(options: Partial<GatewayOptions> = {}): Promise<FrontDesk> {
  const { keep, close } = keeper();
  const issuer = await keep(options.issuer ?? openIssuer());
  const ticket = () => ({ success: true });
  const desk = await keep(
    graphqlUpstream(DESK, {
      Query: { notice: () => 'closed', motto: () => 'hello', whoami: () => 'me' },
      Mutation: { enter: ticket, renew: ticket, leaveNote: () => 'left' },
    }),
  );
  const weather = await keep(webhook(() => ({ text: 'rain' })));
  const revocations = await keep(
    serve((_, response) => {
      const until = Math.floor(Date.now() / 1000) + 900;
      reply(response, 200, { cursor: '1', revocations: [{ sid: 'gone', until }] });
    }),
  );
  const names = Object.keys(OPERATIONS) as readonly OperationName[];
  const metadata = {
    'remote_schemas.yaml': [deskMetadata()],
    'actions.yaml': {
      actions: [
        {
          name: 'weather',
          definition: { handler: '{{WEATHER_URL}}' },
          permissions: ['anonymous', 'user', 'manager'].map((role) => ({ role })),
        },
      ],
      custom_types: { objects: [{ name: 'Weather' }] },
    },
    'actions.graphql': 'type Query { weather: Weather } type Weather { text: String }',
    'query_collections.yaml': [
      { name: 'saved', definition: { queries: names.map((name) => ({ name, query: OPERATIONS[name] })) } },
    ],
    'rest_endpoints.yaml': names.map((name) => endpoint(name, restPath(name), ['POST'])),
    ...options.metadata,
  };
  const environment = {
    DESK_URL: desk.graphqlUrl,
    WEATHER_URL: weather.url,
    PORTICO_REVOCATION_URL: `${revocations.url}/revocations`,
    ...options.environment,
  };
  const gateway = await keep(openGateway({ ...options, issuer, metadata, environment }));
  const calledAs = () => {
    const sessions = [
      ...desk.operations().map(({ headers }) => headers),
      ...weather.requests.map(({ body }) => (body as { session_variables: Record<string, unknown> }).session_variables),
    ];
    desk.forget();
    weather.requests.length = 0;
    const names = sessions.map((session) =>
      [session['x-hasura-role'], session['x-hasura-user-id']].filter(Boolean).join(' '),
    );
    return [...new Set(names)];
  };
  calledAs();
  return { issuer, desk, weather, gateway, calledAs, close };
}

/** The address of the REST endpoint of an operation, below `/api/rest/`. */
export function restPath(name: OperationName): string {
  return name.replaceAll(' ', '_');
}
