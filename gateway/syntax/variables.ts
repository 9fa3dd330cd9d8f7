/** The values of an operation's variables by their names (GraphQL 6.1.2). */
export type Variables = Readonly<Record<string, unknown>>;
