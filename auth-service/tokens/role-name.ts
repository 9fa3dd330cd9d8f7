/** The name of a role, as tokens have it in their claims. */
export const ROLE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;
