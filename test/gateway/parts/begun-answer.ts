import type { TestGateway } from '../harness/index.ts';
import { ask, DEFERRED, type ReadAnswer, type World, type WrittenAnswer } from './world.ts';

/** The first part, in the form of August 2022. */
export const FIRST = { data: { product: { id: '1' } }, hasNext: true };

/** A first part in the form of today, which promises others. */
export const PENDING = {
  ...FIRST,
  pending: [
    { id: '0', path: ['product'] },
    { id: '1', path: ['product'] },
  ],
};

/** An answer of which the shop has written the first part, and the client has read it. */
export async function begun(
  gateway: TestGateway,
  { issuer, shop }: World,
  first: object = FIRST,
): Promise<{ written: WrittenAnswer; answer: ReadAnswer }> {
  shop.answerInParts();
  const asked = ask(gateway, issuer, DEFERRED);
  const written = await shop.written();
  written.part(first);
  const answer = await asked;
  await answer.untilParts(1);
  return { written, answer };
}
