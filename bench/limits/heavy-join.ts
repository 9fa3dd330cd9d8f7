import type { Dispatch } from './dispatch.ts';

// The heavy query, implemented by hand in six calls: users and top products, the reviews of both, the names of the reviews'
// authors, the data of the reviewed products, and the stock. The first two run concurrently, and so do the last three.

const PRODUCT_FIELDS = 'name price weight';
const REVIEW_WITH_AUTHOR = 'id body author { id username reviews { id body product { upc } } }';

const USERS = JSON.stringify({ query: '{ users { id username name } }' });
const TOP_PRODUCTS = JSON.stringify({ query: `{ topProducts { upc ${PRODUCT_FIELDS} } }` });
const REVIEWS = entitiesText(
  `... on User { reviews { id body product { upc reviews { ${REVIEW_WITH_AUTHOR} } } } } ... on Product { reviews { ${REVIEW_WITH_AUTHOR} } }`,
);
const NAMES = entitiesText('... on User { name }');
const PRODUCTS = entitiesText(`... on Product { ${PRODUCT_FIELDS} }`);
const STOCK = entitiesText('... on Product { inStock shippingEstimate }');

interface User {
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

interface ProductData {
  readonly name: string;
  readonly price: number;
  readonly weight: number;
}

interface TopProduct extends ProductData {
  readonly upc: string;
}

interface Stock {
  readonly inStock: boolean;
  readonly shippingEstimate: number | null;
}

interface ReviewOfProduct {
  readonly id: string;
  readonly body: string;
  readonly author: {
    readonly id: string;
    readonly username: string;
    readonly reviews: readonly { readonly id: string; readonly body: string; readonly product: { upc: string } }[];
  };
}

interface ReviewOfUser {
  readonly id: string;
  readonly body: string;
  readonly product: { readonly upc: string; readonly reviews: readonly ReviewOfProduct[] };
}

/** The services' responses. */
interface Fetched {
  readonly users: readonly User[];
  readonly topProducts: readonly TopProduct[];
  readonly reviewsOfUsers: readonly (readonly ReviewOfUser[])[];
  readonly reviewsOfTop: readonly (readonly ReviewOfProduct[])[];
  readonly names: ReadonlyMap<string, string>;
  readonly data: ReadonlyMap<string, ProductData>;
  readonly stock: ReadonlyMap<string, Stock>;
}

/** Called with the response. Undefined if a service did not respond. */
type Done = (body: string | undefined) => void;

/** Joins the responses as objects, which are serialized at the end. */
export function joinAsObjects(call: Dispatch, done: Done): void {
  fetchAll(call, (fetched) => done(fetched && JSON.stringify(objectsOf(fetched))));
}

/** Joins the responses as JSON text. The text of each entity is written once, wherever it occurs. */
export function joinAsTexts(call: Dispatch, done: Done): void {
  fetchAll(call, (fetched) => done(fetched && textOf(fetched)));
}

function fetchAll(call: Dispatch, done: (fetched: Fetched | undefined) => void): void {
  let users: readonly User[] | undefined;
  let topProducts: readonly TopProduct[] | undefined;
  const begun = () => users && topProducts && fetchReviews(call, users, topProducts, done);
  call('accounts', USERS, (answer) => {
    if (!answer) return done(undefined);
    users = dataOf<{ users: User[] }>(answer).users;
    begun();
  });
  call('products', TOP_PRODUCTS, (answer) => {
    if (!answer) return done(undefined);
    topProducts = dataOf<{ topProducts: TopProduct[] }>(answer).topProducts;
    begun();
  });
}

function fetchReviews(
  call: Dispatch,
  users: readonly User[],
  topProducts: readonly TopProduct[],
  done: (fetched: Fetched | undefined) => void,
): void {
  const keys = [
    ...users.map(({ id }) => ({ __typename: 'User', id })),
    ...topProducts.map(({ upc }) => ({ __typename: 'Product', upc })),
  ];
  call('reviews', requestBody(REVIEWS, keys), (answer) => {
    if (!answer) return done(undefined);
    const entities = dataOf<{ _entities: { reviews: never[] }[] }>(answer)._entities.map(({ reviews }) => reviews);
    const reviewsOfUsers: ReviewOfUser[][] = entities.slice(0, users.length);
    const reviewsOfTop: ReviewOfProduct[][] = entities.slice(users.length);
    const authors = new Set<string>();
    const reviewed = new Set<string>();
    const collect = (reviews: readonly ReviewOfProduct[]) => {
      for (const { author } of reviews) {
        authors.add(author.id);
        for (const { product } of author.reviews) reviewed.add(product.upc);
      }
    };
    for (const reviews of reviewsOfUsers)
      for (const { product } of reviews) {
        reviewed.add(product.upc);
        collect(product.reviews);
      }
    for (const reviews of reviewsOfTop) collect(reviews);
    const inStock = new Set([...topProducts.map(({ upc }) => upc), ...reviewed]);

    let names: ReadonlyMap<string, string> | undefined;
    let data: ReadonlyMap<string, ProductData> | undefined;
    let stock: ReadonlyMap<string, Stock> | undefined;
    const put = () =>
      names && data && stock && done({ users, topProducts, reviewsOfUsers, reviewsOfTop, names, data, stock });
    const fetchEach = <T>(
      service: string,
      query: string,
      key: 'id' | 'upc',
      ids: ReadonlySet<string>,
      take: (entities: ReadonlyMap<string, T>) => void,
    ) => {
      const __typename = key === 'id' ? 'User' : 'Product';
      const representations = Array.from(ids, (id) => ({ __typename, [key]: id }));
      call(service, requestBody(query, representations), (body) => {
        if (!body) return done(undefined);
        const found = dataOf<{ _entities: T[] }>(body)._entities;
        take(new Map(Array.from(ids, (id, index) => [id, found[index] as T])));
        put();
      });
    };
    fetchEach<{ name: string }>('accounts', NAMES, 'id', authors, (found) => {
      names = new Map(Array.from(found, ([id, { name }]) => [id, name]));
    });
    fetchEach<ProductData>('products', PRODUCTS, 'upc', reviewed, (found) => {
      data = found;
    });
    fetchEach<Stock>('inventory', STOCK, 'upc', inStock, (found) => {
      stock = found;
    });
  });
}

function objectsOf({ users, topProducts, reviewsOfUsers, reviewsOfTop, names, data, stock }: Fetched): object {
  const product = (upc: string, own: ProductData | undefined = data.get(upc)) => ({
    inStock: stock.get(upc)?.inStock,
    name: own?.name,
    price: own?.price,
    shippingEstimate: stock.get(upc)?.shippingEstimate,
    upc,
    weight: own?.weight,
  });
  const ofProduct = (reviews: readonly ReviewOfProduct[]) =>
    reviews.map(({ id, body, author }) => ({
      id,
      body,
      author: {
        id: author.id,
        username: author.username,
        name: names.get(author.id),
        reviews: author.reviews.map((review) => ({
          id: review.id,
          body: review.body,
          product: product(review.product.upc),
        })),
      },
    }));
  return {
    data: {
      users: users.map(({ id, username, name }, index) => ({
        id,
        username,
        name,
        reviews: reviewsOfUsers[index]?.map((review) => ({
          id: review.id,
          body: review.body,
          product: { ...product(review.product.upc), reviews: ofProduct(review.product.reviews) },
        })),
      })),
      topProducts: topProducts.map((top, index) => ({
        ...product(top.upc, top),
        reviews: ofProduct(reviewsOfTop[index] ?? []),
      })),
    },
  };
}

function textOf({ users, topProducts, reviewsOfUsers, reviewsOfTop, names, data, stock }: Fetched): string {
  // The members of each entity that are the same wherever it occurs, without the surrounding braces.
  const productTexts = new Map<string, string>();
  const reviewTexts = new Map<string, string>();
  const authorTexts = new Map<string, string>();
  const product = (upc: string, own: ProductData | undefined = data.get(upc)) => {
    let text = productTexts.get(upc);
    if (text === undefined) {
      const { inStock, shippingEstimate } = stock.get(upc) ?? {};
      text = `"inStock":${inStock},"name":${JSON.stringify(own?.name)},"price":${own?.price},"shippingEstimate":${shippingEstimate},"upc":${JSON.stringify(upc)},"weight":${own?.weight}`;
      productTexts.set(upc, text);
    }
    return text;
  };
  const reviewText = ({ id, body }: { readonly id: string; readonly body: string }) => {
    let text = reviewTexts.get(id);
    if (text === undefined) {
      text = `"id":${JSON.stringify(id)},"body":${JSON.stringify(body)}`;
      reviewTexts.set(id, text);
    }
    return text;
  };
  const authorText = (author: ReviewOfProduct['author']) => {
    let text = authorTexts.get(author.id);
    if (text === undefined) {
      const reviews = author.reviews.map(
        (review) => `{${reviewText(review)},"product":{${product(review.product.upc)}}}`,
      );
      text = `"id":${JSON.stringify(author.id)},"username":${JSON.stringify(author.username)},"name":${JSON.stringify(names.get(author.id))},"reviews":[${reviews.join()}]`;
      authorTexts.set(author.id, text);
    }
    return text;
  };
  const ofProduct = (reviews: readonly ReviewOfProduct[]) =>
    reviews.map((review) => `{${reviewText(review)},"author":{${authorText(review.author)}}}`).join();
  const userTexts = users.map(({ id, username, name }, index) => {
    const reviews = (reviewsOfUsers[index] ?? []).map(
      (review) =>
        `{${reviewText(review)},"product":{${product(review.product.upc)},"reviews":[${ofProduct(review.product.reviews)}]}}`,
    );
    return `{"id":${JSON.stringify(id)},"username":${JSON.stringify(username)},"name":${JSON.stringify(name)},"reviews":[${reviews.join()}]}`;
  });
  const topTexts = topProducts.map(
    (top, index) => `{${product(top.upc, top)},"reviews":[${ofProduct(reviewsOfTop[index] ?? [])}]}`,
  );
  return `{"data":{"users":[${userTexts.join()}],"topProducts":[${topTexts.join()}]}}`;
}

function entitiesText(selections: string): string {
  return JSON.stringify(
    `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selections} } }`,
  );
}

function requestBody(query: string, representations: readonly object[]): string {
  return `{"query":${query},"variables":{"representations":${JSON.stringify(representations)}}}`;
}

function dataOf<T>(answer: Buffer): T {
  return JSON.parse(answer.toString()).data;
}
