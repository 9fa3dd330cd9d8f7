/** Whether a root field reads the schema: `__schema` or `__type` (GraphQL section 4.2). `__typename` does not. */
export function isIntrospectionField(name: string): boolean {
  return name === '__schema' || name === '__type';
}
