/** @typedef {import('./schema.js').Schema} Schema */

/**
 * A parameter of an endpoint. A parameter that is written as JSON has `content`.
 *
 * @typedef {object} Parameter
 * @property {string} name
 * @property {'path' | 'query'} in
 * @property {boolean} [required]
 * @property {Schema} [schema]
 * @property {{ 'application/json': { schema: Schema } }} [content]
 */

/** @typedef {{ token: string, role: string }} Caller the access token and the role; empty: none. */

/** @param {Parameter} parameter */
export function fieldKey(parameter) {
  return `${parameter.in}:${parameter.name}`;
}

/** @param {Parameter} parameter */
export function isListParameter(parameter) {
  return parameter.schema?.type === 'array';
}

/**
 * @param {string} template the path, with parameters in braces.
 * @param {readonly Parameter[]} parameters
 * @param {Readonly<Record<string, string>>} values by `fieldKey`; a list has one item on each line.
 */
export function urlOf(template, parameters, values) {
  /** @type {string[]} */
  const query = [];
  let path = template;
  for (const parameter of parameters) {
    const text = values[fieldKey(parameter)] ?? '';
    const items = (isListParameter(parameter) ? text.split('\n') : [text])
      .filter((item) => item !== '')
      .map(encodeURIComponent);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => items.join(','));
    else query.push(...items.map((item) => `${encodeURIComponent(parameter.name)}=${item}`));
  }
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/**
 * @param {Caller} caller
 * @param {boolean} hasBody
 * @returns {Record<string, string>}
 */
export function headersOf({ token, role }, hasBody) {
  return {
    accept: 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
    ...(role && { 'x-hasura-role': role }),
    ...(hasBody && { 'content-type': 'application/json' }),
  };
}
