import { expect, test } from '@jest/globals';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { AUTH_TYPE_DEFINITIONS } from '../../../auth-service/graph/index.ts';
import { createSchema, type UseCases } from '../../../auth-service/graph/schema.ts';

/** No resolver is called. */
const schema = createSchema({ administration: {} } as UseCases);

test('each root field has a resolver', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  expect(fields.length).toBeGreaterThan(30);
  expect(fields.filter(({ resolve }) => resolve === undefined).map(({ name }) => name)).toEqual([]);
});

test('the schema is the one that is published as SDL', () => {
  const sdl = (one: typeof schema) => printSchema(lexicographicSortSchema(one));
  expect(sdl(schema)).toBe(sdl(buildSchema(AUTH_TYPE_DEFINITIONS)));
});
