/**
 * The value that an argument or input field always has for a role: one of its own, a session variable's, or a list or an
 * object with such values in it.
 */
export type Preset =
  | { readonly kind: 'fixed'; readonly value: unknown }
  | { readonly kind: 'session'; readonly variable: string }
  | { readonly kind: 'list'; readonly items: readonly Preset[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Preset>> };

/** Presets by `Type.field.argument` for arguments and `Type.field` for input fields. */
export type Presets = ReadonlyMap<string, Preset>;
