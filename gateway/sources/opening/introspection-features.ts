import type { IntrospectionInputValue, IntrospectionOptions, IntrospectionQuery } from 'graphql';

/**
 * The options of the introspection query that a service supports, derived from the introspection types in its schema.
 * Services reject options that were added after the 2018 specification and that they do not know.
 */
export function supportedOptions({ __schema }: IntrospectionQuery): IntrospectionOptions {
  const types = namedItems(__schema.types);
  const fields = (type: string) => namedItems(propertyOf(types.get(type), 'fields'));
  const has = (type: string, field: string) => fields(type).has(field);
  const filters = (type: string, field: string) =>
    namedItems(propertyOf(fields(type).get(field), 'args')).has('includeDeprecated');
  return {
    schemaDescription: has('__Schema', 'description'),
    specifiedByUrl: has('__Type', 'specifiedByURL'),
    oneOf: has('__Type', 'isOneOf'),
    directiveIsRepeatable: has('__Directive', 'isRepeatable'),
    inputValueDeprecation:
      has('__InputValue', 'isDeprecated') &&
      has('__InputValue', 'deprecationReason') &&
      filters('__Type', 'inputFields') &&
      filters('__Field', 'args') &&
      filters('__Directive', 'args'),
  };
}

/** Whether `options` include all options in `others`. */
export function includesOptions(options: IntrospectionOptions, others: IntrospectionOptions): boolean {
  return Object.entries(others).every(([name, isAsked]) => !isAsked || Reflect.get(options, name));
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function namedItems(list: unknown): ReadonlyMap<unknown, unknown> {
  return new Map(Array.isArray(list) ? list.map((item) => [propertyOf(item, 'name'), item]) : []);
}

/**
 * Removes the deprecation of required arguments and input fields, which GraphQL does not allow (section 3.13.3).
 * Missing lists are left to `buildClientSchema`, whose errors name their types.
 */
export function withoutRequiredDeprecations(query: IntrospectionQuery): IntrospectionQuery {
  const { types, directives, ...schema } = query.__schema;
  const inputs = (values: readonly IntrospectionInputValue[]) => values?.map(withoutRequiredDeprecation);
  return {
    __schema: {
      ...schema,
      types: types.map((type) => {
        if (type.kind === 'INPUT_OBJECT') return { ...type, inputFields: inputs(type.inputFields) };
        if (type.kind !== 'OBJECT' && type.kind !== 'INTERFACE') return type;
        return { ...type, fields: type.fields?.map((field) => ({ ...field, args: inputs(field.args) })) };
      }),
      directives: directives?.map((directive) => ({ ...directive, args: inputs(directive.args) })),
    },
  };
}

function withoutRequiredDeprecation(value: IntrospectionInputValue): IntrospectionInputValue {
  const isRequired = value.type?.kind === 'NON_NULL' && (value.defaultValue ?? null) === null;
  return isRequired && value.isDeprecated ? { ...value, isDeprecated: false, deprecationReason: null } : value;
}
