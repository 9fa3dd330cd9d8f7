import { buildSchema, type GraphQLSchema, getIntrospectionQuery } from 'graphql';

/** A graph of so many types, each with fields of others and arguments, that is described throughout. */
export function largeSchema(types: number): GraphQLSchema {
  return buildSchema(largeSchemaText(types));
}

export function largeSchemaText(types: number): string {
  const names = Array.from({ length: types }, (_, index) => index);
  const fieldsOf = (index: number) =>
    Array.from({ length: 8 }, (_, field) => {
      const type = field % 3 === 0 ? `[T${(index * 7 + field) % types}!]!` : 'String!';
      return `"Field ${field} of a type." f${field}(first: Int = 10, after: String): ${type}`;
    });
  return [
    ...names.map((index) => `"Type number ${index} of many." type T${index} { ${fieldsOf(index).join(' ')} }`),
    `type Query { ${names.map((index) => `t${index}: T${index}`).join(' ')} }`,
  ].join('\n');
}

/** Levels of `ofType` as some tools ask for them. */
const ofType = (levels: number): string => `kind name ${levels > 0 ? `ofType { ${ofType(levels - 1)} }` : ''}`;

/** Those of 2016, which clients of that time still send: graphql-js's before it had options. */
const CLASSIC = /* GraphQL */ `
  query IntrospectionQuery {
    __schema {
      queryType { name }
      mutationType { name }
      subscriptionType { name }
      types { ...FullType }
      directives { name description locations args { ...InputValue } }
    }
  }
  fragment FullType on __Type {
    kind
    name
    description
    fields(includeDeprecated: true) {
      name
      description
      args { ...InputValue }
      type { ...TypeRef }
      isDeprecated
      deprecationReason
    }
    inputFields { ...InputValue }
    interfaces { ...TypeRef }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
    possibleTypes { ...TypeRef }
  }
  fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
  fragment TypeRef on __Type { ${ofType(3)} }
`;

/** What tools send to learn the schema: who, the document, its variables. */
export function usualDocuments(): [string, string, Record<string, unknown>][] {
  const all = {
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  };
  const none = Object.fromEntries(Object.keys(all).map((option) => [option, false]));
  const documents: [string, string, Record<string, unknown>?][] = [
    ['graphql-js with its defaults', getIntrospectionQuery()],
    ['graphql-js with all options', getIntrospectionQuery(all)],
    ['graphql-js with none', getIntrospectionQuery(none)],
    ...Object.keys(all).map((option): [string, string] => [
      `graphql-js with ${option}`,
      getIntrospectionQuery({ ...none, [option]: true }),
    ]),
    // GraphiQL, Altair, Insomnia and graphql-codegen send graphql-js's, with more or fewer of its options.
    [
      'GraphiQL',
      getIntrospectionQuery({ ...none, descriptions: true, inputValueDeprecation: true, schemaDescription: true }),
    ],
    ['graphql-codegen', getIntrospectionQuery({ ...all, oneOf: false })],
    ['an old GraphiQL, Insomnia or Hasura’s console', CLASSIC],
    ['an old one that asks for nine levels of ofType', CLASSIC.replace(ofType(3), ofType(9))],
    [
      'Apollo Sandbox or rover',
      getIntrospectionQuery({ ...none, descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true }).replace(
        'IntrospectionQuery',
        'GraphIntrospectionQuery',
      ),
    ],
    [
      'urql or Relay, for names and possible types',
      '{ __schema { queryType { name } mutationType { name } subscriptionType { name } types { kind name possibleTypes { kind name } } } }',
    ],
    ['Apollo Client, for possible types', '{ __schema { types { kind name possibleTypes { name } } } }'],
    [
      'a form that shows one type',
      'query type($name: String!) { __type(name: $name) { name kind fields { name type { name kind ofType { name kind } } } inputFields { name type { name kind ofType { name kind } } defaultValue } } }',
      { name: 'Product' },
    ],
    ['a monitor that sees whether somebody is there', '{ __typename }'],
  ];
  // Jest takes a parameter that a row has no value for to be its callback.
  return documents.map(([who, text, variables = {}]) => [who, text, variables]);
}
