/** The browser and the system of a `User-Agent`, as far as it names them. @returns undefined where there is none. */
export function deviceOf(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const [, browser] = /(Firefox|Edg|Chrome|Safari|curl|node)[/ ]?[\d.]*/.exec(userAgent) ?? [];
  const [, system] = /(Windows|Macintosh|Android|iPhone|iPad|Linux)/.exec(userAgent) ?? [];
  return [browser ?? userAgent.slice(0, 40), system].filter(Boolean).join(', ');
}
