/** Returns the type of a mutation's result with `data`, the name of a type. */
export function resultType(name: string, data: string): string {
  return `
  type ${name} {
    success: Boolean!
    "A stable code for the reason of a rejection. See docs/administration.md. Null on success."
    error_code: String
    "Null on success."
    error_message: String
    "Null if the request is rejected."
    data: ${data}
  }`;
}
