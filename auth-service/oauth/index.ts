export { createOAuthRouter, type OAuthUseCases } from './router.ts';
export { serverMetadata } from './server-metadata.ts';
