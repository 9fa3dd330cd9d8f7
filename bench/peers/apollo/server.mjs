import { readFileSync } from 'node:fs';
import { ApolloGateway } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

const supergraphSdl = readFileSync(process.env.SUPERGRAPH, 'utf8');
const server = new ApolloServer({ gateway: new ApolloGateway({ supergraphSdl }) });
await startStandaloneServer(server, { listen: { port: Number(process.env.PORT), host: '127.0.0.1' } });
