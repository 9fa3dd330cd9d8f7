// Hive Gateway has its own command line. This file only passes the arguments.
process.argv.push('-c', 'gateway.config.mjs', 'supergraph', process.env.SUPERGRAPH);
await import('./node_modules/@graphql-hive/gateway/dist/bin.js');
