/** The format of role names in the claims of tokens. */
export const ROLE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;
