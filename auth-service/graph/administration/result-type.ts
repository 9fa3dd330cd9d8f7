/** Returns the type of a mutation's result with `data`, the name of a type. */
export function resultType(name: string, data: string): string {
  return `
  type ${name} {
    success: Boolean!
    "A stable name of the refusal, see docs/administration.md. Null on success."
    error_code: String
    "Null on success."
    error_message: String
    "Null when refused."
    data: ${data}
  }`;
}
