import type { DemoAccount } from './demo-accounts.ts';
import { Html, html } from './html.ts';
import type { Offer, Offered } from './offer.ts';
import { ORIGIN, type Snippet } from './snippets.ts';

/** What `/readyz` reports, as far as the page shows it. */
export interface Health {
  readonly ready: boolean;
  readonly missingSources: number;
  readonly failingServices: number;
}

/** Names in each list. The console and the page of REST endpoints show the rest. */
const LONGEST_LIST = 5;

/** The state of the gateway, which `/readyz` shows to everyone too. */
export function healthSection({ ready, missingSources, failingServices }: Health): Html {
  const problems = [
    ...(missingSources > 0 ? [html`${counted(missingSources, 'service')} missing from the API. `] : []),
    ...(failingServices > 0
      ? [html`${counted(failingServices, 'service')} failing, and not called for a while. `]
      : []),
  ];
  const state = !ready
    ? html`<span class="badge bad">Not ready</span> The gateway does not accept requests at the moment. `
    : problems.length > 0
      ? html`<span class="badge warn">Ready, with problems</span> `
      : html`<span class="badge good">Ready</span> The gateway accepts requests, and all services are part of the API. `;
  return html`<section class="health" aria-labelledby="health">
<h2 id="health">Health</h2>
<p>${state}${problems}<a href="readyz">Details</a></p>
</section>`;
}

/**
 * What can be called, in a card for each kind.
 *
 * @param role the role of demo accounts; undefined for callers without a token.
 */
export function offerSection(offer: Offer, role: string | undefined, hasConsole: boolean): Html {
  const { queries, mutations, subscriptions, endpoints } = offer;
  const rest = html`<a href="api/swagger">REST endpoints</a>`;
  const console = hasConsole ? html`the <a href="console/">console</a> shows` : html`${rest} show`;
  const lead =
    role === undefined
      ? html`Without a token you can call this. After a login, ${console} what your role can call.`
      : html`With the demo accounts you can call this, as the role <code>${role}</code>.`;
  const kinds = [
    { title: 'Queries', offered: queries, id: 'queries' },
    { title: 'Mutations', offered: mutations, id: 'mutations' },
    { title: 'Subscriptions', offered: subscriptions, id: 'subscriptions' },
    { title: 'REST endpoints', offered: endpoints, id: 'endpoints' },
  ].filter(({ offered }) => offered.length > 0);
  if (kinds.length === 0)
    return html`<section aria-labelledby="offer"><h2 id="offer">What you can call</h2>
<p class="dim">Everything here requires an access token. After a login, ${console} what your role can call.</p></section>`;
  return html`<section aria-labelledby="offer">
<h2 id="offer">What you can call</h2>
<p class="dim">${lead}</p>
<div class="offer">${kinds.map(({ title, offered, id }) => offerCard(title, offered, id, role !== undefined))}</div>
</section>`;
}

function offerCard(title: string, offered: readonly Offered[], id: string, marksPublic: boolean): Html {
  // What needs a token is what callers come for.
  const ordered = [...offered].sort((one, other) => Number(one.isPublic) - Number(other.isPublic));
  const items = ordered.slice(0, LONGEST_LIST).map(({ name, description, isPublic }) => {
    const badge = marksPublic && isPublic ? html` <span class="badge">no token</span>` : undefined;
    const note = description === '' ? undefined : html`<p class="note">${description}</p>`;
    return html`<li><code>${name}</code>${badge}${note}</li>`;
  });
  const left = offered.length - items.length;
  const more = left > 0 ? html`<li class="note">and ${left} more</li>` : undefined;
  return html`<section class="card" aria-labelledby="${id}">
<h3 id="${id}">${title} <span class="count">${offered.length}</span></h3>
<ul>${items}${more}</ul>
</section>`;
}

/** The same request in several languages. Which one is shown, the style decides by the chosen radio button. */
export function callSection(snippets: readonly Snippet[]): Html {
  const choices = snippets.map(
    (
      { id, label },
      at,
    ) => html`<input type="radio" name="language" id="in-${id}"${new Html(at === 0 ? ' checked' : '')}>
<label for="in-${id}">${label}</label>`,
  );
  const blocks = snippets.map(
    ({ id, label, text }) => html`<div class="snippet" data-language="${id}">
<button type="button" class="quiet copy" hidden>Copy</button>
<pre tabindex="0" role="group" aria-label="Request in ${label}">${withOrigin(text)}</pre>
</div>`,
  );
  return html`<section class="card call" aria-labelledby="call">
<h2 id="call">Call it</h2>
<fieldset><legend>Language</legend>${choices}</fieldset>
${blocks}
</section>`;
}

function withOrigin(text: string): Html {
  const [first = '', ...others] = text.split(ORIGIN);
  return html`${first}${others.map((part) => html`<span class="origin">${ORIGIN}</span>${part}`)}`;
}

/** How to log in to demo data. */
export function accountsSection(accounts: readonly DemoAccount[]): Html | undefined {
  if (accounts.length === 0) return undefined;
  const rows = accounts.map(
    ({ username, password, tenant_id, tenant, roles }) =>
      html`<tr><td>${username}</td><td>${password}</td><td>${tenant_id} (${tenant})</td><td>${roles.join(', ')}</td></tr>`,
  );
  // Keyboard users can reach the area that scrolls on a phone.
  return html`<section class="card" aria-labelledby="accounts">
<h2 id="accounts">Demo accounts</h2>
<p class="dim">This gateway uses demo data. Log in with one of these accounts to try it out.</p>
<div class="scroll" role="group" aria-label="Table of demo accounts" tabindex="0"><table>
<thead><tr><th>User</th><th>Password</th><th>Tenant ID</th><th>Roles</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
</section>`;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what} is` : `${count} ${what}s are`;
}
