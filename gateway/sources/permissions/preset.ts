/**
 * The value that an argument or input field always has for a role: a constant, a session variable's value, or a list or
 * an object that contains such values.
 */
export type Preset =
  | { readonly kind: 'fixed'; readonly value: unknown }
  | { readonly kind: 'session'; readonly variable: string }
  | { readonly kind: 'list'; readonly items: readonly Preset[] }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Preset>> };

/** Presets by `Type.field.argument` for arguments and `Type.field` for input fields. */
export type Presets = ReadonlyMap<string, Preset>;
