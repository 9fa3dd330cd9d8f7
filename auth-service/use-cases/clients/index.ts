export {
  type AuthenticateClient,
  type ClientAccount,
  clientSecretHash,
  createAuthenticateClient,
} from './authenticate-client.ts';
export { type ClientCredentials, createClientCredentials } from './client-credentials.ts';
export { type ActiveToken, createIntrospect, type Introspect, isClientTokenAlive } from './introspect.ts';
export { type AddedClient, addClient, type NewClient, revokeClient } from './manage-clients.ts';
export { createRevokeToken, type RevokeToken } from './revoke-token.ts';
