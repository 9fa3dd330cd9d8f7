/** Bytes of JSON text that what scans it without parsing looks for. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPENING_BRACKET = 0x5b;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;
