import type { IntrospectionInputValue, IntrospectionOptions, IntrospectionQuery } from 'graphql';

const FEATURE_TYPES = ['__Schema', '__Type', '__Field', '__InputValue', '__Directive'] as const;

/**
 * Asks a service which parts of introspection it supports: those that came after the specification of 2018 are refused by
 * older services, and without them deprecated arguments and input fields are left out of its schema.
 */
export const FEATURES_QUERY = `query IntrospectionQuery {
  ${FEATURE_TYPES.map((name) => `${name.slice(2)}: __type(name: "${name}") { fields { name args { name } } }`).join('\n  ')}
}`;

/** The options of the introspection query that a service supports. @param answer the data that it answered `FEATURES_QUERY` */
export function supportedOptions(answer: Readonly<Record<string, unknown>>): IntrospectionOptions {
  const fields = (type: string) => namedItems(propertyOf(answer[type], 'fields'));
  const has = (type: string, field: string) => fields(type).has(field);
  const filters = (type: string, field: string) =>
    namedItems(propertyOf(fields(type).get(field), 'args')).has('includeDeprecated');
  return {
    schemaDescription: has('Schema', 'description'),
    specifiedByUrl: has('Type', 'specifiedByURL'),
    oneOf: has('Type', 'isOneOf'),
    directiveIsRepeatable: has('Directive', 'isRepeatable'),
    inputValueDeprecation:
      has('InputValue', 'isDeprecated') &&
      has('InputValue', 'deprecationReason') &&
      filters('Type', 'inputFields') &&
      filters('Field', 'args') &&
      filters('Directive', 'args'),
  };
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function namedItems(list: unknown): ReadonlyMap<unknown, unknown> {
  return new Map(Array.isArray(list) ? list.map((item) => [propertyOf(item, 'name'), item]) : []);
}

/** Takes the deprecation from required arguments and input fields, where GraphQL allows none (section 3.13.3). */
export function withoutRequiredDeprecations(query: IntrospectionQuery): IntrospectionQuery {
  const { types, directives, ...schema } = query.__schema;
  const inputs = (values: readonly IntrospectionInputValue[]) => values.map(withoutRequiredDeprecation);
  return {
    __schema: {
      ...schema,
      types: types.map((type) => {
        if (type.kind === 'INPUT_OBJECT') return { ...type, inputFields: inputs(type.inputFields) };
        if (type.kind !== 'OBJECT' && type.kind !== 'INTERFACE') return type;
        return { ...type, fields: type.fields.map((field) => ({ ...field, args: inputs(field.args) })) };
      }),
      directives: directives.map((directive) => ({ ...directive, args: inputs(directive.args) })),
    },
  };
}

function withoutRequiredDeprecation(value: IntrospectionInputValue): IntrospectionInputValue {
  const isRequired = value.type.kind === 'NON_NULL' && (value.defaultValue ?? null) === null;
  return isRequired && value.isDeprecated ? { ...value, isDeprecated: false, deprecationReason: null } : value;
}
