/** `page.js`: asks for the document with the token that was entered, and lists its endpoints. */
export const PAGE_SCRIPT = /* js */ `
import { element } from './elements.js';
import { showEndpoint } from './endpoint.js';
import { headersOf } from './request.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const byId = (id) => document.getElementById(id);
const caller = () => ({ token: byId('token').value.trim(), role: byId('role').value.trim() });

byId('caller').addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = event.target.querySelector('button');
  button.disabled = true;
  try {
    show(await askForDocument());
  } catch (error) {
    show({ paths: {} }, error.message);
  }
  button.disabled = false;
});

byId('filter').addEventListener('input', ({ target }) => {
  const piece = target.value.toLowerCase();
  for (const endpoint of byId('endpoints').children)
    endpoint.hidden = !endpoint.querySelector('summary').textContent.toLowerCase().includes(piece);
});

byId('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});

async function askForDocument() {
  const url = new URL('json', import.meta.url);
  const response = await fetch(url, { headers: headersOf(caller(), false), cache: 'no-store' }).catch(() => undefined);
  if (!response) throw new Error('There was no answer.');
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(response.status + ': ' + (body?.error ?? 'the document was refused'));
  return body;
}

function show({ paths, components = {} }, problem) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ ...item[method], method, path })),
  );
  byId('endpoints').replaceChildren(...operations.map((operation) => showEndpoint(operation, components, caller)));
  byId('filter').value = '';
  byId('filter-line').hidden = operations.length < 2;
  const count = operations.length === 1 ? '1 endpoint' : operations.length + ' endpoints';
  byId('status').replaceChildren(problem ? element('span', { class: 'problem' }, problem) : count);
}
`;
