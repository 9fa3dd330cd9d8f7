export * from './decode.ts';
export * from './receiver.ts';
