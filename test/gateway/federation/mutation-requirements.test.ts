import { expect, test } from '@jest/globals';
import { federate } from './world.ts';

const byReference = (representation: Record<string, unknown>) => representation;

test('a later mutation of the same service may select several fields with requirements', async () => {
  const sent: string[] = [];
  const run = (name: string, id: string, size: number) => {
    sent.push(`${name} ${id}`);
    return { id, size };
  };
  const post = await federate({
    parcels: {
      sdl: `type Query { parcel: Parcel }
        type Mutation { send(id: ID!): Parcel weigh(id: ID!): Parcel }
        type Parcel @key(fields: "id") { id: ID! size: Int weight: Int @external price: Int @requires(fields: "weight") }`,
      resolvers: {
        Mutation: {
          send: (_: unknown, { id }: { id: string }) => run('send', id, 2),
          weigh: (_: unknown, { id }: { id: string }) => run('weigh', id, 3),
        },
        Parcel: {
          __resolveReference: ({ id, weight }: { id: string; weight?: number }) => ({ id, size: 3, weight }),
          price: ({ weight }: { weight: number }) => weight * 10,
        },
      },
    },
    carrier: {
      sdl: `type Parcel @key(fields: "id") { id: ID! weight: Int
          size: Int @external price: Int @external
          volume: Int @requires(fields: "size") fee: Int @requires(fields: "size price") }`,
      resolvers: {
        Parcel: {
          __resolveReference: byReference,
          weight: () => 7,
          volume: ({ size }: { size: number }) => size ** 3,
          fee: ({ size, price }: { size: number; price: number }) => size + price,
        },
      },
    },
  });
  const document = `mutation { a: send(id: "1") { id } b: send(id: "2") { id size }
    c: weigh(id: "3") { volume fee } d: send(id: "4") { id } }`;
  expect(await post.ask(document)).toEqual({
    data: { a: { id: '1' }, b: { id: '2', size: 2 }, c: { volume: 27, fee: 73 }, d: { id: '4' } },
  });
  expect(sent).toEqual(['send 1', 'send 2', 'weigh 3', 'send 4']);
});
