/** GraphQL names contain no dots, so no type can have this name. */
const ERROR = 'portico.error';

const ERROR_SCHEMA = {
  description: 'Why there is no answer.',
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where in the request or the answer; `$` is the whole of it.' },
    error: { type: 'string', description: 'What is wrong, in words.' },
    code: { type: 'string', description: 'What is wrong, for programs.' },
  },
  required: ['path', 'error', 'code'],
} as const;

const ERROR_REFERENCE = { $ref: `#/components/schemas/${ERROR}` } as const;
const CONTENT = { 'application/json': { schema: ERROR_REFERENCE } } as const;

const CHALLENGE_HEADER = {
  'WWW-Authenticate': { description: 'What to do about it (RFC 6750).', schema: { type: 'string' } },
} as const;

/** The components that every document has. */
export const SHARED = {
  schemas: { [ERROR]: ERROR_SCHEMA },
  responses: {
    BadRequest: { description: 'The request does not fit the endpoint.', content: CONTENT },
    Unauthorized: { description: 'There is no token, or a bad one.', headers: CHALLENGE_HEADER, content: CONTENT },
    Forbidden: { description: 'The token does not allow it.', headers: CHALLENGE_HEADER, content: CONTENT },
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
  },
} as const;

/** Returns the responses of an endpoint other than a success. */
export function otherResponses(needsToken: boolean, answer: Readonly<Record<string, unknown>>) {
  return {
    400: { $ref: '#/components/responses/BadRequest' },
    ...(needsToken && {
      401: { $ref: '#/components/responses/Unauthorized' },
      403: { $ref: '#/components/responses/Forbidden' },
    }),
    default: {
      description: 'An error, or the answer with a status that the service behind the endpoint gave it.',
      headers: { 'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'string' } } },
      content: { 'application/json': { schema: { anyOf: [ERROR_REFERENCE, answer] } } },
    },
  };
}
