import { block, element } from './elements.js';
import { fieldKey, headersOf, isListParameter, urlOf } from './request.js';
import { exampleOf, schemaText } from './schema.js';

const QUERY = /\*\*\*\n[^\n]*\n```graphql\n([\s\S]*)\n```\s*$/;

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
      isPublic ? element('span', { class: 'badge' }, 'no token needed') : undefined,
      element('span', { class: 'name' }, operation.summary ?? ''),
    ),
  );
  // What is inside is made when it is first looked at: there may be hundreds.
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
        showResponse(status, given.$ref ? components.responses[given.$ref.split('/').pop()] : given, schemas),
      ),
      ...(query ? [heading('GraphQL operation'), block(query)] : []),
      tryIt(operation, schemas, caller),
    ];
  }
}

function heading(text) {
  return element('h3', {}, text);
}

function schemaOf(parameter) {
  return parameter.schema ?? parameter.content['application/json'].schema;
}

function typeOf(parameter, schemas) {
  const schema = schemaOf(parameter);
  const preset = 'default' in schema ? ` = ${JSON.stringify(schema.default)}` : '';
  return schemaText(schema, schemas) + preset + (parameter.content ? ' as JSON' : '');
}

function parameterTable(parameters, schemas) {
  const head = ['Name', 'Where', 'Type'].map((name) => element('th', { scope: 'col' }, name));
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

function showResponse(status, { description, content }, schemas) {
  const schema = content?.['application/json']?.schema;
  const line = element('p', {}, element('strong', {}, status === 'default' ? 'other' : status), ' ', description);
  // That of a good answer is what people come for; all others are the same everywhere.
  return status === '200' && schema ? element('div', {}, line, block(schemaText(schema, schemas))) : line;
}

function tryIt(operation, schemas, caller) {
  const { method, path, parameters = [], requestBody } = operation;
  const inputs = parameters.map((parameter) => {
    const options = { 'data-key': fieldKey(parameter), required: parameter.required === true, spellcheck: 'false' };
    const input = isListParameter(parameter)
      ? element('textarea', { ...options, rows: 3, placeholder: 'one item a line' })
      : element('input', { ...options, autocomplete: 'off', placeholder: parameter.content ? 'JSON' : '' });
    return element('label', {}, parameter.name + (parameter.required ? ' *' : ''), input);
  });
  const body = requestBody && element('textarea', { spellcheck: 'false' });
  if (body) {
    body.value = JSON.stringify(exampleOf(requestBody.content['application/json'].schema, schemas), null, 2);
    body.rows = Math.min(body.value.split('\n').length + 1, 20);
  }
  const button = element('button', {}, 'Send');
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
    const values = {};
    for (const input of form.querySelectorAll('[data-key]')) values[input.dataset.key] = input.value;
    const url = urlOf(path, parameters, values);
    button.disabled = true;
    outcome.replaceChildren(...(await callEndpoint(method.toUpperCase(), url, body?.value, caller())));
    button.disabled = false;
  });
  return element('section', { class: 'try' }, heading('Try it'), form, outcome);
}

async function callEndpoint(method, url, body, caller) {
  const line = element('p', {}, element('code', {}, `${method} ${url}`));
  try {
    const response = await fetch(url, {
      method,
      headers: headersOf(caller, body !== undefined),
      body,
      cache: 'no-store',
      redirect: 'error',
    });
    const status = `${response.status} ${response.statusText}`.trim();
    const text = await response.text();
    return [line, element('p', { class: response.ok ? 'good' : 'bad' }, status), block(pretty(text))];
  } catch {
    return [line, element('p', { class: 'bad' }, 'There was no answer.')];
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
