import {
  type Answer,
  type GraphqlBody,
  type GraphqlUpstream,
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  send,
} from '../harness/index.ts';
import { type Drawers, openDrawers, TYPES } from './drawers.ts';
import { HEADERS, multipart, type Part } from './multipart.ts';

export interface World {
  readonly issuer: Issuer;
  readonly drawers: Drawers;
  /** A service that takes no files. */
  readonly plain: GraphqlUpstream;
  /** The address of a gateway that takes three files of a megabyte. */
  readonly url: string;
  /** The headers of an upload by somebody who is logged in. */
  authorized(role?: string): Record<string, string>;
  upload(parts: readonly Part[], headers?: Record<string, string>): Promise<Answer<GraphqlBody>>;
  close(): Promise<void>;
}

/** The part of a role whose files have the caller's id as their title. */
const LABELLED = `
  scalar Upload
  type Query { drawers: Int }
  type Mutation {
    store(file: Upload!, title: String @preset(value: "x-hasura-user-id")): Stored
    storeAll(input: Bundle!): [Stored!]!
  }
  input Bundle { files: [Upload!]! label: String @preset(value: "x-hasura-user-id") }
  type Stored { name: String! type: String! size: Int! digest: String! title: String }`;

export async function openWorld(): Promise<World> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const drawers = await keep(openDrawers());
  const plain = await keep(graphqlUpstream('scalar JSON type Query { echo(value: JSON): Int, hello: String }'));
  const permissions = Object.entries({ user: TYPES, labelled: LABELLED }).map(([role, schema]) => ({
    role,
    definition: { schema },
  }));
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          { name: 'drawers', definition: { url: drawers.url }, permissions },
          { name: 'plain', definition: { url: plain.graphqlUrl } },
        ],
      },
      environment: { PORTICO_UPLOAD_MAX_FILES: '3', PORTICO_UPLOAD_MAX_FILE_BYTES: '1000000' },
    }),
  );
  const authorized = (role = 'user') => ({
    ...HEADERS,
    authorization: `Bearer ${issuer.token({ role, roles: [role] })}`,
  });
  return {
    issuer,
    drawers,
    plain,
    url: gateway.url,
    authorized,
    upload: (parts, headers = authorized()) =>
      send<GraphqlBody>(`${gateway.url}/v1/graphql`, { method: 'POST', headers, body: multipart(parts) }),
    close,
  };
}
