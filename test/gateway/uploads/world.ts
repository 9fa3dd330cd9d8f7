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
import { type Drawers, openDrawers } from './drawers.ts';
import { HEADERS, multipart, type Part } from './multipart.ts';

export interface World {
  readonly issuer: Issuer;
  readonly drawers: Drawers;
  /** A service that takes no files. */
  readonly plain: GraphqlUpstream;
  /** The address of a gateway that takes three files of a megabyte. */
  readonly url: string;
  /** The headers of an upload by somebody who is logged in. */
  authorized(): Record<string, string>;
  upload(parts: readonly Part[], headers?: Record<string, string>): Promise<Answer<GraphqlBody>>;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const { keep, close } = keeper();
  const issuer = await keep(openIssuer());
  const drawers = await keep(openDrawers());
  const plain = await keep(graphqlUpstream('scalar JSON type Query { echo(value: JSON): Int, hello: String }'));
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: {
        'remote_schemas.yaml': [
          { name: 'drawers', definition: { url: drawers.url } },
          { name: 'plain', definition: { url: plain.graphqlUrl } },
        ],
      },
      environment: { PORTICO_UPLOAD_MAX_FILES: '3', PORTICO_UPLOAD_MAX_FILE_BYTES: '1000000' },
    }),
  );
  const authorized = () => ({ ...HEADERS, authorization: `Bearer ${issuer.token()}` });
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
