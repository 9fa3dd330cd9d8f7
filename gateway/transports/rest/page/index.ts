import { assetUrl } from '../../../../platform/index.ts';
import { type PageFile, readPageFile, sharedPageFile } from '../../http/index.ts';

const SCRIPTS = ['page.js', 'elements.js', 'endpoint.js', 'request.js', 'schema.js'];

const asset = (name: string) => readPageFile(assetUrl(`gateway/transports/rest/page/assets/${name}`));

/** The files of the page by name. The name of the page itself is empty. */
export const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map([
  ['', asset('page.html')],
  ['page.css', asset('page.css')],
  ['theme.js', sharedPageFile('theme.js')],
  ['mark.svg', sharedPageFile('mark.svg')],
  ...SCRIPTS.map((name) => [name, asset(name)] as const),
]);
