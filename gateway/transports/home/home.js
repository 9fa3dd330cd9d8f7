// Makes the requests of the page ready to run: with the address that the browser uses, and a button that copies them. Without
// this script they can be selected.
const SHOWN_MS = 1_500;
const address = new URL('.', location.href).href.replace(/\/$/, '');

for (const place of document.querySelectorAll('.origin')) place.textContent = address;

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('.copy'))) {
  // Browsers offer the clipboard to secure origins only.
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener('click', async () => {
    const text = button.parentElement?.querySelector('pre')?.textContent ?? '';
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Select the text to copy it';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SHOWN_MS);
  });
}
