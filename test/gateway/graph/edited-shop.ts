import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { changingUpstream } from '../harness/changing-upstream.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { graphqlUpstream, keeper, openIssuer } from '../harness/index.ts';

export const remote = (name: string, url: string, more: object = {}, definition: object = {}) => ({
  name,
  definition: { url, timeout_seconds: 5, ...definition },
  ...more,
});

export const permission = (schema: string, role = 'user') => ({ permissions: [{ role, definition: { schema } }] });

/**
 * Two services for the tests of a suite, a shop whose schema a test may change and mail, and gateways over them whose
 * metadata is edited. Everything is closed after the test or the suite that opened it.
 */
export async function editedShop() {
  const { keep, close } = keeper();
  afterAll(close);
  const { keep: keepForTest, close: closeAfterTest } = keeper();
  afterEach(closeAfterTest);
  const issuer = await keep(openIssuer());
  const shop = await keep(
    changingUpstream('type Query { item: String price: Int }', { Query: { item: () => 'bolt' } }),
  );
  const mail = await keep(graphqlUpstream('type Query { letter: String }', { Query: { letter: () => 'hello' } }));
  beforeEach(() => {
    shop.instead = undefined;
    shop.become('type Query { item: String price: Int }', { Query: { item: () => 'bolt' } });
  });
  const SHOP = remote('shop', shop.graphqlUrl);
  return {
    keepForTest,
    issuer,
    token: issuer.token(),
    shop,
    SHOP,
    MAIL: remote('mail', mail.graphqlUrl),
    /** Opens a gateway that has only the shop where no files are given. */
    open: (files: Record<string, unknown> = { 'remote_schemas.yaml': [SHOP] }, environment = {}) =>
      keepForTest(openEditedGateway(files, { issuer, environment })),
  };
}
