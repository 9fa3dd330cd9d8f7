import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import {
  bearer,
  type GraphqlUpstream,
  graphqlUpstream,
  type Issuer,
  keeper,
  openGateway,
  openIssuer,
  type Received,
  type TestGateway,
  until,
} from '../harness/index.ts';

/** The directives, as services that know them declare them. */
export const INCREMENTAL = /* GraphQL */ `
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int = 0) on FIELD
`;

export const SHOP = /* GraphQL */ `
  type Query {
    product(id: ID): Product
    products: [Product!]!
  }
  type Mutation {
    order: Product
  }
  type Product {
    id: ID!
    reviews: [String!]
    stock: Int
  }
`;

const product = () => ({ id: '1', reviews: ['good'], stock: 5 });
const RESOLVERS = { Query: { product, products: () => [product()] }, Mutation: { order: product } };

/** An answer in parts that a test writes, as the service. */
export interface WrittenAnswer {
  readonly received: Received;
  readonly response: ServerResponse;
  /** Set once the gateway has cut the connection. */
  readonly isCut: boolean;
  /** Sends parts with the delimiter after each. */
  part(...parts: unknown[]): void;
  /** Ends the body, with the last delimiter. */
  end(): void;
}

export interface ShopOptions {
  readonly contentType?: string;
  readonly headers?: Record<string, string | string[]>;
}

/** A service of other services' form: a test says when what comes. */
export interface PartsShop extends GraphqlUpstream {
  /** Answers the next operations in parts, and waits for the first of them. */
  answerInParts(options?: ShopOptions): void;
  written(index?: number): Promise<WrittenAnswer>;
}

export async function partsShop(typeDefs = INCREMENTAL + SHOP): Promise<PartsShop> {
  const upstream = await graphqlUpstream(typeDefs, RESOLVERS);
  const answers: WrittenAnswer[] = [];
  return Object.assign(upstream, {
    answerInParts: ({ contentType = 'multipart/mixed; boundary="-"', headers = {} }: ShopOptions = {}) => {
      answers.length = 0;
      upstream.instead = (received, response) => {
        response.writeHead(200, { 'content-type': contentType, ...headers });
        response.write('\r\n---');
        let isCut = false;
        response.on('close', () => {
          isCut = !response.writableEnded;
        });
        answers.push({
          received,
          response,
          get isCut() {
            return isCut;
          },
          part: (...parts) => {
            for (const part of parts) {
              const json = typeof part === 'string' ? part : JSON.stringify(part);
              response.write(`\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${json}\r\n---`);
            }
          },
          end: () => response.end('--\r\n'),
        });
      };
    },
    written: (index = 0) => until('the service is asked', () => answers[index]),
  });
}

/** An answer that is being read. */
export interface ReadAnswer {
  readonly outgoing: ClientRequest;
  readonly response: IncomingMessage;
  readonly status: number;
  readonly contentType: string;
  /** All of the body so far. */
  text(): string;
  /** The JSON of the parts that are complete. */
  parts(): readonly unknown[];
  /** Waits for as many. */
  untilParts(count: number): Promise<readonly unknown[]>;
  /** Waits for the end of the body. */
  end(): Promise<readonly unknown[]>;
}

export const DEFER_2022 = 'multipart/mixed; deferSpec=20220824, application/json';
export const DEFERRED = '{ product { id ... @defer(label: "r") { reviews } } }';

export interface Asked {
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly variables?: unknown;
  readonly extensions?: unknown;
  readonly isPaused?: boolean;
  readonly path?: string;
}

export function ask(
  gateway: TestGateway,
  issuer: Issuer,
  query: string | undefined,
  { accept = DEFER_2022, headers = {}, variables, extensions, isPaused = false, path = '/v1/graphql' }: Asked = {},
): Promise<ReadAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...bearer(issuer.token()), ...headers },
      agent: false,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      let isOver = false;
      response.on('error', () => {});
      response.on('close', () => {
        isOver = true;
      });
      if (!isPaused) {
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
        });
      }
      const parts = () => partsIn(text);
      resolve({
        outgoing,
        response,
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        text: () => text,
        parts,
        untilParts: (count) => until(`${count} parts are there`, () => parts().length >= count && parts()),
        end: async () => {
          await until('the answer is over', () => isOver);
          return parts();
        },
      });
    });
    outgoing.end(JSON.stringify(path === '/v1/graphql' ? { query, variables, extensions } : (variables ?? {})));
  });
}

/** What a strict reader of the multipart body takes for parts. */
function partsIn(text: string): readonly unknown[] {
  const pieces = text.split('\r\n---');
  return pieces.slice(1, -1).map((piece) => {
    const [head = '', body = ''] = piece.split('\r\n\r\n');
    if (!/^\r\ncontent-type: application\/json; charset=utf-8\r\ncontent-length: \d+$/.test(head))
      throw new Error(`the head of a part is ${JSON.stringify(head)}`);
    return JSON.parse(body);
  });
}

export interface GatewaySettings {
  /** Of the shop, beside its address. */
  readonly definition?: object;
  readonly environment?: Record<string, string>;
  readonly metadata?: object;
}

export interface World {
  readonly issuer: Issuer;
  readonly shop: PartsShop;
  /** A gateway that is closed with the world. */
  gateway(settings?: GatewaySettings): Promise<TestGateway>;
  /** A gateway of a test's own, with other settings of the service or the process, until `forget`. */
  gatewayWith(definition: object, environment?: Record<string, string>, metadata?: object): Promise<TestGateway>;
  /** To be called after each test. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

function gatewayBefore(
  { issuer, shop }: Pick<World, 'issuer' | 'shop'>,
  { definition, environment, metadata }: GatewaySettings = {},
): Promise<TestGateway> {
  return openGateway({
    issuer,
    metadata: {
      'remote_schemas.yaml': [{ name: 'shop', definition: { url: shop.graphqlUrl, ...definition } }],
      ...metadata,
    },
    ...(environment && { environment }),
  });
}

export async function openWorld(): Promise<World> {
  const { keep, close } = keeper();
  const ofTest = keeper();
  const issuer = await keep(openIssuer());
  const shop = await keep(partsShop());
  return {
    issuer,
    shop,
    gateway: (settings) => keep(gatewayBefore({ issuer, shop }, settings)),
    gatewayWith: (definition, environment = {}, metadata = {}) =>
      ofTest.keep(gatewayBefore({ issuer, shop }, { definition, environment, metadata })),
    forget: async () => {
      await ofTest.close();
      shop.forget();
      shop.instead = undefined;
    },
    close,
  };
}

/** Writes that many parts of 100 KB, as fast as they are read, and the last part. */
export function writeMany({ response, part, end }: WrittenAnswer, many: number) {
  const item = { incremental: [{ items: ['x'.repeat(100_000)] }], hasNext: true };
  let sent = 0;
  const send = () => {
    while (sent < many && !response.writableNeedDrain) {
      part(item);
      sent += 1;
    }
    if (sent < many) response.once('drain', send);
    else {
      part({ hasNext: false });
      end();
    }
  };
  send();
  let before = -1;
  return {
    sent: () => sent,
    /** Nobody reads any more. */
    standsStill: () =>
      until('the service has to wait', async () => {
        const isStill = sent === before;
        before = sent;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return isStill && sent === before;
      }),
  };
}
