/** HTML that is sent as it is. All other values of a template are escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type HtmlValue = string | number | Html | readonly Html[] | undefined;

/** A template whose values are escaped, except for HTML made by such templates. Undefined stands for nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, at) => part + (at < values.length ? textOf(values[at]) : '')).join(''));
}

function textOf(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
