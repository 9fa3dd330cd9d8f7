import { block, element } from './elements.js';
import { fieldKey, headersOf, isListParameter, urlOf } from './request.js';
import { exampleOf, schemaText } from './schema.js';

/**
 * @typedef {import('./request.js').Caller} Caller
 * @typedef {import('./request.js').Parameter} Parameter
 * @typedef {import('./schema.js').Schema} Schema
 * @typedef {import('./schema.js').Schemas} Schemas
 */

/** @typedef {{ 'application/json'?: { schema: Schema } }} Content */

/** @typedef {{ $ref?: string, description: string, content?: Content }} EndpointResponse */

/** @typedef {{ schemas?: Schemas, responses?: Readonly<Record<string, EndpointResponse>> }} Components */

/**
 * An operation of the OpenAPI document, with its method and path.
 *
 * @typedef {object} Endpoint
 * @property {string} method in lower case
 * @property {string} path
 * @property {string} [summary]
 * @property {string} [description]
 * @property {Parameter[]} [parameters]
 * @property {{ content: { 'application/json': { schema: Schema } } }} [requestBody]
 * @property {Readonly<Record<string, EndpointResponse>>} responses
 * @property {Readonly<Record<string, unknown>>[]} [security]
 */

const QUERY = /\*\*\*\n[^\n]*\n```graphql\n([\s\S]*)\n```\s*$/;

/**
 * Creates the element of an endpoint, which shows its details when it is opened.
 *
 * @param {Endpoint} operation
 * @param {Components} components
 * @param {() => Caller} caller
 */
export function showEndpoint(operation, components, caller) {
  const { method, path, parameters = [], description = '' } = operation;
  const isPublic = operation.security?.length === 0 || operation.security?.some(({ bearer }) => !bearer);
  const query = QUERY.exec(description)?.[1];
  const text = description.replace(QUERY, '').trim();
  const details = element(
    'details',
    { class: 'endpoint' },
    element(
      'summary',
      {},
      element('span', { class: `method ${method}` }, method.toUpperCase()),
      element('span', { class: 'path' }, path),
      isPublic ? element('span', { class: 'badge' }, 'no token required') : undefined,
      element('span', { class: 'name' }, operation.summary ?? ''),
    ),
  );
  // The details are created when they are first opened, since there may be hundreds of endpoints.
  details.addEventListener('toggle', () => details.append(element('div', {}, ...sections())), { once: true });
  return details;

  function sections() {
    const schemas = components.schemas ?? {};
    const body = operation.requestBody?.content['application/json'].schema;
    return [
      text ? element('p', { class: 'text' }, text) : undefined,
      ...(parameters.length > 0 ? [heading('Parameters'), parameterTable(parameters, schemas)] : []),
      ...(body ? [heading('Request body'), block(schemaText(body, schemas))] : []),
      heading('Responses'),
      ...Object.entries(operation.responses).map(([status, given]) =>
        showResponse(status, resolvedResponse(given, components), schemas),
      ),
      ...(query ? [heading('GraphQL operation'), block(query)] : []),
      tryIt(operation, schemas, caller),
    ];
  }
}

/**
 * @param {EndpointResponse} response
 * @param {Components} components
 * @returns {EndpointResponse}
 */
function resolvedResponse(response, { responses = {} }) {
  return responses[response.$ref?.split('/').pop() ?? ''] ?? response;
}

/** @param {string} text */
function heading(text) {
  return element('h2', {}, text);
}

/** @param {Parameter} parameter */
function schemaOf(parameter) {
  return parameter.schema ?? parameter.content?.['application/json'].schema ?? {};
}

/**
 * @param {Parameter} parameter
 * @param {Schemas} schemas
 */
function typeOf(parameter, schemas) {
  const schema = schemaOf(parameter);
  const preset = 'default' in schema ? ` = ${JSON.stringify(schema.default)}` : '';
  return schemaText(schema, schemas) + preset + (parameter.content ? ' as JSON' : '');
}

/**
 * @param {readonly Parameter[]} parameters
 * @param {Schemas} schemas
 */
function parameterTable(parameters, schemas) {
  const head = ['Name', 'In', 'Type'].map((name) => element('th', { scope: 'col' }, name));
  const rows = parameters.map((parameter) =>
    element(
      'tr',
      {},
      element('td', {}, element('code', {}, parameter.name), parameter.required ? ' (required)' : ''),
      element('td', {}, parameter.in === 'path' ? 'path' : 'query string'),
      element('td', {}, element('code', {}, typeOf(parameter, schemas))),
    ),
  );
  return element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
}

/**
 * @param {string} status
 * @param {EndpointResponse} response
 * @param {Schemas} schemas
 */
function showResponse(status, { description, content }, schemas) {
  const schema = content?.['application/json']?.schema;
  const line = element('p', {}, element('strong', {}, status === 'default' ? 'other' : status), ' ', description);
  // Only the schema of a success is shown, since those of errors are the same for all endpoints.
  return status === '200' && schema ? element('div', {}, line, block(schemaText(schema, schemas))) : line;
}

/**
 * @param {Endpoint} operation
 * @param {Schemas} schemas
 * @param {() => Caller} caller
 */
function tryIt(operation, schemas, caller) {
  const { method, path, parameters = [], requestBody } = operation;
  const inputs = parameters.map((parameter) => {
    const options = { 'data-key': fieldKey(parameter), required: parameter.required === true, spellcheck: 'false' };
    const input = isListParameter(parameter)
      ? element('textarea', { ...options, rows: 3, placeholder: 'one item per line' })
      : element('input', { ...options, autocomplete: 'off', placeholder: parameter.content ? 'JSON' : '' });
    return element('label', {}, parameter.name + (parameter.required ? ' *' : ''), input);
  });
  const body = requestBody && element('textarea', { spellcheck: 'false' });
  if (body) {
    body.value = JSON.stringify(exampleOf(requestBody.content['application/json'].schema, schemas), null, 2);
    body.rows = Math.min(body.value.split('\n').length + 1, 20);
  }
  const button = element('button', { class: 'primary' }, 'Send');
  const outcome = element('div', { class: 'outcome', role: 'status' });
  const form = element(
    'form',
    { autocomplete: 'off' },
    element('div', { class: 'fields' }, ...inputs),
    body ? element('label', {}, 'Body', body) : undefined,
    button,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    /** @type {Record<string, string>} */
    const values = {};
    const fields = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('[data-key]'));
    for (const { dataset, value } of fields) values[dataset.key ?? ''] = value;
    const url = urlOf(path, parameters, values);
    button.disabled = true;
    outcome.replaceChildren(...(await callEndpoint(method.toUpperCase(), url, body?.value, caller())));
    button.disabled = false;
  });
  return element('section', { class: 'try' }, heading('Try it'), form, outcome);
}

/**
 * @param {string} method
 * @param {string} url
 * @param {string | undefined} body
 * @param {Caller} caller
 */
async function callEndpoint(method, url, body, caller) {
  const line = element('p', {}, element('code', {}, `${method} ${url}`));
  try {
    const response = await fetch(url, {
      method,
      headers: headersOf(caller, body !== undefined),
      body: body ?? null,
      cache: 'no-store',
      redirect: 'error',
    });
    const status = `${response.status} ${response.statusText}`.trim();
    const text = await response.text();
    return [line, element('p', { class: response.ok ? 'good' : 'bad' }, status), block(pretty(text))];
  } catch {
    return [line, element('p', { class: 'bad' }, 'The gateway did not respond.')];
  }
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
