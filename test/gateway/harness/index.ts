export * from './gateway.ts';
export * from './hostile-tokens.ts';
export * from './issuer.ts';
export * from './keep.ts';
export * from './platform.ts';
export * from './send.ts';
export * from './serve.ts';
export * from './upstream.ts';
