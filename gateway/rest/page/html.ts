/** The page's frame. What it shows is made by its script of the document that it asks for. */
export const HTML = /* html */ `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>Rest endpoints</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="swagger/page.css">
    <script type="module" src="swagger/page.js"></script>
  </head>
  <body>
    <header>
      <div class="line">
        <h1>Rest endpoints</h1>
        <button type="button" id="theme" class="quiet">Dark or light</button>
      </div>
      <form id="caller" autocomplete="off">
        <label class="wide">Access token
          <input id="token" type="password" required autocomplete="off" autocapitalize="off" spellcheck="false"
            aria-describedby="token-note">
        </label>
        <label>Role
          <input id="role" placeholder="the token’s own" autocomplete="off" autocapitalize="off" spellcheck="false">
        </label>
        <button>Show endpoints</button>
      </form>
      <p id="token-note" class="note">The token stays in this page: it is not stored, and gone when the page is.</p>
    </header>
    <main>
      <p id="status" role="status">Endpoints are shown to those who may use them. Enter an access token.</p>
      <label id="filter-line" hidden>Find
        <input id="filter" type="search" placeholder="a piece of a path or name">
      </label>
      <div id="endpoints"></div>
    </main>
    <noscript><p class="note">This page needs JavaScript. The document itself is at /api/swagger/json.</p></noscript>
  </body>
</html>
`;
