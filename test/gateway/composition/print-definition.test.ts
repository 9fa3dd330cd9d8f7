import { expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { printDefinition } from '../../../gateway/planning/composition/print-definition.ts';

const SDL = String.raw`
schema @link(url: "https://specs.apollo.dev/link/v1.0", import: ["@key", { name: "@tag", as: "@label" }]) { query: Query }
directive @tag(name: String! = "none") repeatable on FIELD_DEFINITION | OBJECT
"""
A root,
  in lines: \""" is in it
"""
type Query implements Node & Named @join__type(graph: A, key: "id name { first }") @inaccessible {
  "With \"quotes\" and \\ and \u0007"
  id: ID! @deprecated(reason: "old \"one\"") @tag(name: """a block""")
  list(
    "How many"
    first: Int = 10
    where: Filter = { name: "x", in: [ONE, TWO], not: null, is: true, weight: -1.5 } @tag(name: "é")
  ): [[Query!]]!
  short(a: Int, b: [String!]! = []): String
}
type Empty
interface Node implements Other @join__type(graph: A) { id: ID! }
"An input"
input Filter @tag { name: String! = "\n" @tag "of what" in: [Kind!] = [ONE] }
enum Kind @join__type(graph: A) { ONE @join__enumValue(graph: A) "the second" TWO }
union Any @join__unionMember(graph: A, member: "Query") = | Query | Other
union None
scalar Date @specifiedBy(url: "https://example.com/date")
extend type Query { more: Int }
`;

test('definitions are printed as graphql-js prints them', () => {
  for (const definition of parse(SDL).definitions) expect(printDefinition(definition)).toBe(print(definition));
});
