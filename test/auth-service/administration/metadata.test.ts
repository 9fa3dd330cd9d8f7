import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { parse as parseYaml } from 'yaml';
import { AUTH_TYPE_DEFINITIONS } from '../../../auth-service/graph/index.ts';
import { FIELDS } from './administered.ts';
import { OPERATORS_ONLY } from './arguments.ts';

interface RemoteSchema {
  name: string;
  permissions: { role: string; definition: { schema: string } }[];
}

interface Collection {
  definition: { queries: { name: string; query: string }[] };
}

interface Endpoint {
  url: string;
  methods: string[];
}

const schema = buildSchema(AUTH_TYPE_DEFINITIONS);
const names = (kind: 'query' | 'mutation') => FIELDS[kind].map(({ name }) => name);

/** Every field of the types of administrators, with its arguments and type. */
function coordinates(of: GraphQLSchema): string[] {
  return Object.values(of.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) && !isInputObjectType(type)) return [];
    const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(type.getFields());
    return fields.flatMap((field) => {
      const isOwn = type.name.startsWith('AuthAdmin') || field.name.startsWith('auth_admin_');
      const args = 'args' in field ? field.args.map((arg) => `${arg.name}: ${arg.type}`).join(', ') : '';
      return isOwn ? [`${type.name}.${field.name}(${args}): ${field.type}`] : [];
    });
  });
}

describe.each(['metadata', 'deploy/kubernetes/base/metadata'])('the administration in %s', (directory) => {
  const read = <Content>(file: string) => parseYaml(readFileSync(`${directory}/${file}`, 'utf8')) as Content;
  const permissions =
    read<RemoteSchema[]>('remote_schemas.yaml').find(({ name }) => name === 'auth')?.permissions ?? [];
  const schemaOf = (role: string) =>
    buildSchema(permissions.find((permission) => permission.role === role)?.definition.schema ?? '');

  test('operators have all of it, administrators of a tenant all but what is the operators’', () => {
    const ofTenants = coordinates(schemaOf('tenant_admin'));
    const rootNames = ofTenants.flatMap((coordinate) => /^(?:Query|Mutation)\.(\w+)/.exec(coordinate)?.[1] ?? []);

    expect(coordinates(schemaOf('platform_operator')).toSorted()).toEqual(coordinates(schema).toSorted());
    expect(rootNames.toSorted()).toEqual(
      [...names('query'), ...names('mutation')].filter((name) => !OPERATORS_ONLY.has(name)).toSorted(),
    );
    expect(ofTenants.filter((coordinate) => !coordinates(schema).includes(coordinate))).toEqual([]);
  });

  test('there is a valid saved operation and a REST endpoint for each field', () => {
    const [collection] = read<Collection[]>('query_collections.yaml');
    const endpoints = read<Endpoint[]>('rest_endpoints.yaml').filter(({ url }) => url.startsWith('auth_admin_'));

    for (const kind of ['query', 'mutation'] as const) {
      const methods = [kind === 'query' ? 'GET' : 'POST'];
      for (const name of names(kind)) {
        const saved = collection?.definition.queries.find((query) => query.name === name);
        expect([name, validate(schema, parse(saved?.query ?? '{ missing }'))]).toEqual([name, []]);
        expect(endpoints).toContainEqual(expect.objectContaining({ url: name, methods }));
      }
    }
    expect(endpoints).toHaveLength(names('query').length + names('mutation').length);
  });
});
