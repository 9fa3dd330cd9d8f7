import { bearer } from '../harness/index.ts';
import { openCatalogue } from './catalogue.ts';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Record<string, unknown>[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  readonly responses: Readonly<Record<string, { content: Record<string, { schema: { $ref: string } }> }>>;
  readonly security: readonly object[];
}

/** As much of it as tests look at. */
export interface Document {
  readonly openapi: string;
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** @throws Error when the document does not have it. */
export const operationOf = (document: Document, method: string, path: string): Operation => {
  const operation = document.paths[`/api/rest/${path}`]?.[method];
  if (!operation) throw new Error(`no ${method} ${path}`);
  return operation;
};

/** Methods and paths of all endpoints in it. */
export const listed = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));

export const ADMIN = { 'x-hasura-admin-secret': 'the admin secret of this test' };

/** The catalogue with an admin secret, and its document for each role. */
export async function openDocumentedCatalogue() {
  const catalogue = await openCatalogue({
    environment: { HASURA_GRAPHQL_ADMIN_SECRET: ADMIN['x-hasura-admin-secret'] },
  });
  const asUser = bearer(catalogue.issuer.token());
  const documentFor = async (headers: Readonly<Record<string, string>>) => {
    const { status, body } = await catalogue.gateway.send<Document>('/api/swagger/json', { headers });
    if (status !== 200) throw new Error(`no document, but the status ${status}`);
    return body;
  };
  const user = await documentFor(asUser);
  const manager = await documentFor({ ...asUser, 'x-hasura-role': 'manager' });
  const admin = await documentFor(ADMIN);
  return { ...catalogue, asUser, user, manager, admin };
}
