import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';

export const TYPES = /* GraphQL */ `
  scalar Upload
  type Query {
    size(file: Upload!): Int
    drawers: Int
  }
  type Mutation {
    store(file: Upload!, title: String): Stored
    storeAll(input: Bundle!): [Stored!]!
  }
  input Bundle {
    files: [Upload!]!
    label: String
  }
  type Stored {
    name: String!
    type: String!
    size: Int!
    digest: String!
    title: String
  }
`;

interface Sent {
  readonly name: string;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** How many files the service has begun to get, and how many of them it got whole or not. */
interface Counts {
  readonly begun: number;
  readonly aborted: number;
  readonly finished: number;
}

export interface Drawers {
  readonly url: string;
  counts(): Counts;
  forget(): void;
  /** From now on it reads nothing of files until it is released, and then says how much it was. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** A service that takes files, of any size, and says what it got. */
export async function openDrawers(): Promise<Drawers> {
  let begun = 0;
  let aborted = 0;
  let finished = 0;
  let release: (() => void) | undefined;
  let held: Promise<void> | undefined;
  const stored = async (file: Sent, title?: string) => {
    const bytes = Buffer.from(await file.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('hex');
    return { name: file.name, type: file.type, size: bytes.length, digest, title };
  };
  const yoga = createYoga({
    schema: createSchema({
      typeDefs: TYPES,
      resolvers: {
        Query: { size: async (_, { file }) => (await stored(file)).size, drawers: () => 3 },
        Mutation: {
          store: (_, { file, title }) => stored(file, title),
          storeAll: (_, { input }) => Promise.all(input.files.map((file: Sent) => stored(file, input.label))),
        },
      },
    }),
    logging: false,
  });
  const count = (incoming: IncomingMessage, response: ServerResponse) => {
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    incoming.on('end', () => response.end(JSON.stringify({ data: { size } })));
  };
  const server = createServer((incoming, response) => {
    if (incoming.headers['content-type']?.startsWith('multipart/')) {
      begun++;
      incoming.on('close', () => (incoming.complete ? finished++ : aborted++));
    }
    if (held && incoming.headers['content-type']?.startsWith('multipart/')) held.then(() => count(incoming, response));
    else void yoga(incoming, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    counts: () => ({ begun, aborted, finished }),
    forget: () => {
      begun = aborted = finished = 0;
    },
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release?.(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const STORE =
  'mutation Store($file: Upload!, $title: String) { store(file: $file, title: $title) { name type size digest title } }';
