/** What can be wrong with a request, and the HTTP status that says so. */
const STATUS = {
  'tenant-missing': 401,
  'invalid-input': 400,
  'order-not-found': 404,
  'order-shipped': 409,
} as const;

export type ProblemCode = keyof typeof STATUS;

/**
 * A refusal that the caller may read. GraphQL shows `message` and `extensions.code`; the webhook and the plain HTTP
 * routes answer `status` with `{ message, code }`, which is also how Hasura wants an action's refusal.
 */
export class OrderProblem extends Error {
  readonly status: number;
  /** graphql-js copies this member into the error of the response. */
  readonly extensions: { readonly code: ProblemCode };

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.name = 'Problem';
    this.status = STATUS[code];
    this.extensions = { code };
  }
}
