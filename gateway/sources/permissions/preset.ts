/**
 * The fixed value of an argument or input field for a role: a constant, a session variable, or a list or object that
 * contains these.
 */
export type Preset =
  | { readonly kind: 'fixed'; readonly value: unknown }
  | { readonly kind: 'session'; readonly variable: string }
  | { readonly kind: 'list'; readonly items: readonly Preset[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Preset>> };

/** Presets by `Type.field.argument` for arguments and `Type.field` for input fields. */
export type Presets = ReadonlyMap<string, Preset>;
