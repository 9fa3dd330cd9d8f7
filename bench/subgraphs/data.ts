/** The number of products, which is the length of the list in the rows L and P. */
export const PRODUCTS = 20;

/** The number of articles in a response of 87 KB, the row W. */
export const ARTICLES_OF_87_KB = 215;

/** The number of articles in a response of 8 MiB, the row B. */
export const ARTICLES_OF_8_MIB = 20_764;

const LOREM =
  'A gateway knows who is calling, what each role may see and which service answers each field. ' +
  'It owns the public address and has nothing of its own to say, so every byte that it touches is a byte too many. ' +
  'What it adds should be measured where it matters, beside the same work done by hand, and beside its peers.';

export interface Product {
  readonly __typename: 'Product';
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly inStock: boolean;
}

export const products: readonly Product[] = Array.from({ length: PRODUCTS }, (_, index) => ({
  __typename: 'Product',
  id: String(index + 1),
  name: `Product ${index + 1}`,
  price: 100 + index,
  inStock: index % 2 === 0,
}));

export const rates = ['EUR', 'USD', 'CHF', 'GBP', 'JPY'].map((currency, index) => ({ currency, value: 1.5 + index }));

/** Returns the first `count` articles, each of some 400 bytes. */
export function articles(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: String(100_000 + index),
    title: `On gateways, part ${100_000 + index}`,
    author: 'A. Porter',
    words: 62,
    body: LOREM,
  }));
}
