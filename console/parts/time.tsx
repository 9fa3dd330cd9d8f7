/** A moment, in the words of the browser's language. @param at in ISO 8601. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{new Date(at).toLocaleString()}</time>;
}
