/**
 * The part of JSON Schema that the gateway's OpenAPI document uses.
 *
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {Schema[]} [anyOf]
 * @property {unknown} [const]
 * @property {unknown[]} [enum]
 * @property {string | string[]} [type]
 * @property {string} [format]
 * @property {string} [description]
 * @property {unknown} [default]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 */

/** @typedef {Readonly<Record<string, Schema>>} Schemas */

const REFERENCE = '#/components/schemas/';

/**
 * @param {Schema} schema
 * @param {Schemas} components
 * @returns {Schema}
 */
export function resolve(schema, components) {
  return schema.$ref ? (components[schema.$ref.slice(REFERENCE.length)] ?? {}) : schema;
}

/**
 * Formats a schema as a TypeScript-like type.
 *
 * @param {Schema} schema
 * @param {Schemas} components
 * @param {string} indent
 * @param {readonly string[]} above the enclosing references, which are not followed again.
 * @returns {string}
 */
export function schemaText(schema, components, indent = '', above = []) {
  if (schema.$ref) {
    const name = schema.$ref.slice(REFERENCE.length);
    return above.includes(name) ? name : schemaText(resolve(schema, components), components, indent, [...above, name]);
  }
  if (schema.anyOf) return schema.anyOf.map((one) => schemaText(one, components, indent, above)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const types = [schema.type ?? 'anything'].flat();
  return types.map((type) => typeText(type, schema, components, indent, above)).join(' | ');
}

/**
 * @param {string} type
 * @param {Schema} schema
 * @param {Schemas} components
 * @param {string} indent
 * @param {readonly string[]} above
 * @returns {string}
 */
function typeText(type, schema, components, indent, above) {
  if (type === 'array') {
    const items = schemaText(schema.items ?? {}, components, indent, above);
    return isChoice(schema.items ?? {}, components) ? `(${items})[]` : `${items}[]`;
  }
  if (type !== 'object') return schema.format && type === 'string' ? `${type} (${schema.format})` : type;
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const optional = (schema.required ?? []).includes(name) ? '' : '?';
    const note = property.description ? `  // ${property.description.replace(/\s+/g, ' ')}` : '';
    return `${inner + name + optional}: ${schemaText(property, components, inner, above)}${note}`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}

/**
 * @param {Schema} schema
 * @param {Schemas} components
 */
function isChoice(schema, components) {
  const { anyOf, enum: values, type } = resolve(schema, components);
  return [anyOf, values, type].some((several) => Array.isArray(several) && several.length > 1);
}

/**
 * Returns an initial value that fits a schema.
 *
 * @param {Schema} schema
 * @param {Schemas} components
 * @param {readonly string[]} above the enclosing references, which are not followed again.
 * @returns {unknown}
 */
export function exampleOf(schema, components, above = []) {
  if (schema.$ref) {
    if (above.includes(schema.$ref)) return null;
    return exampleOf(resolve(schema, components), components, [...above, schema.$ref]);
  }
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0], components, above);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [
          name,
          exampleOf(property, components, above),
        ]),
      );
    case 'array': {
      const item = exampleOf(schema.items ?? {}, components, above);
      return item === null ? [] : [item];
    }
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'string':
      return '';
    default:
      return null;
  }
}
