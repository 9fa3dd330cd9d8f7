import { element } from './elements.js';
import { showEndpoint } from './endpoint.js';
import { headersOf } from './request.js';

/**
 * @typedef {import('./endpoint.js').Components} Components
 * @typedef {import('./endpoint.js').Endpoint} Endpoint
 */

/**
 * The gateway's OpenAPI document. Each path has an operation for each method.
 *
 * @typedef {object} ApiDocument
 * @property {Readonly<Record<string, Readonly<Record<string, Omit<Endpoint, 'method' | 'path'>>>>>} paths
 * @property {Components} [components]
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const LOGIN_PATH = '/api/rest/auth_user_login';
/** @type {ApiDocument} */
const NO_ENDPOINTS = { paths: {} };

/** @param {string} id of an element of page.html */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id of an input of page.html */
const input = (id) => /** @type {HTMLInputElement} */ (byId(id));
const caller = () => ({ token: input('token').value.trim(), role: input('role').value.trim() });

onSubmit('login', async () => {
  input('token').value = await logIn(input('username').value, input('password').value, input('tenant').value);
  input('password').value = '';
  show(await fetchDocument('json'));
});

onSubmit('caller', async () => {
  show(await fetchDocument('json'));
});

input('filter').addEventListener('input', () => {
  const part = input('filter').value.toLowerCase();
  for (const endpoint of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#endpoints > *')))
    endpoint.hidden = !endpoint.querySelector('summary')?.textContent.toLowerCase().includes(part);
});

showPublicEndpoints();

/** Shows the endpoints that need no token. */
async function showPublicEndpoints() {
  const publicDocument = await fetchDocument('public.json').catch(() => NO_ENDPOINTS);
  byId('login').hidden = publicDocument.paths[LOGIN_PATH]?.post === undefined;
  const count = show(publicDocument);
  byId('status').textContent =
    count === 0
      ? 'Log in or enter an access token to see the endpoints available to you.'
      : 'These endpoints need no token. To see the other endpoints available to you, log in or enter an access token.';
}

/**
 * @param {string} id of a form
 * @param {() => Promise<void>} send rejects with the problem to show
 */
function onSubmit(id, send) {
  byId(id).addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (byId(id).querySelector('button'));
    button.disabled = true;
    try {
      await send();
    } catch (error) {
      show(NO_ENDPOINTS, /** @type {Error} */ (error).message);
    }
    button.disabled = false;
  });
}

/**
 * @param {string} username
 * @param {string} password
 * @param {string} tenant
 * @returns {Promise<string>} the access token
 */
async function logIn(username, password, tenant) {
  const { ok, status, body } = await exchange(LOGIN_PATH.slice(LOGIN_PATH.lastIndexOf('/') + 1), {
    method: 'POST',
    headers: headersOf({ token: '', role: '' }, true),
    body: JSON.stringify({ username, password, tenant_id: Number(tenant) }),
  });
  const result = body?.auth_user_login;
  const token = result?.data?.access_token;
  if (!ok || typeof token !== 'string') throw new Error(result?.error_message ?? `${status}: the login was rejected`);
  return token;
}

/**
 * @param {'json' | 'public.json'} name the document of the caller's role, or of the endpoints that need no token
 * @returns {Promise<ApiDocument>}
 */
async function fetchDocument(name) {
  const headers = headersOf(name === 'json' ? caller() : { token: '', role: '' }, false);
  const { ok, status, body } = await exchange(new URL(name, import.meta.url), { headers });
  if (!ok) throw new Error(`${status}: ${body?.error ?? 'the request for the OpenAPI document was rejected'}`);
  return body;
}

/**
 * @param {string | URL} target a REST endpoint, or an address
 * @param {RequestInit} options
 */
async function exchange(target, options) {
  const url = typeof target === 'string' ? new URL(`../rest/${target}`, import.meta.url) : target;
  const response = await fetch(url, { ...options, cache: 'no-store', redirect: 'error' }).catch(() => undefined);
  if (!response) throw new Error('The gateway did not respond.');
  return { ok: response.ok, status: response.status, body: await response.json().catch(() => undefined) };
}

/**
 * @param {ApiDocument} apiDocument
 * @param {string} [problem]
 * @returns {number} how many endpoints there are
 */
function show({ paths, components = {} }, problem) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ ...operation, method, path }] : [];
    }),
  );
  byId('endpoints').replaceChildren(...operations.map((operation) => showEndpoint(operation, components, caller)));
  input('filter').value = '';
  byId('filter-line').hidden = operations.length < 2;
  const count = operations.length === 1 ? '1 endpoint' : `${operations.length} endpoints`;
  byId('status').replaceChildren(problem ? element('span', { class: 'problem' }, problem) : count);
  return operations.length;
}
