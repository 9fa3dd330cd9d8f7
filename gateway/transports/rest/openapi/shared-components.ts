/** GraphQL names contain no dots, so no type can have this name. */
const ERROR = 'portico.error';

const ERROR_SCHEMA = {
  description: 'An error.',
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: 'The place of the error in the request or the response. `$` means the whole request or response.',
    },
    error: { type: 'string', description: 'The error message.' },
    code: { type: 'string', description: 'The error code, for programs.' },
  },
  required: ['path', 'error', 'code'],
} as const;

const ERROR_REFERENCE = { $ref: `#/components/schemas/${ERROR}` } as const;
const CONTENT = { 'application/json': { schema: ERROR_REFERENCE } } as const;

const CHALLENGE_HEADER = {
  'WWW-Authenticate': { description: 'The challenge for the bearer token (RFC 6750).', schema: { type: 'string' } },
} as const;

/** The components that every document has. */
export const SHARED = {
  schemas: { [ERROR]: ERROR_SCHEMA },
  responses: {
    BadRequest: { description: 'The request is not valid for this endpoint.', content: CONTENT },
    Unauthorized: { description: 'The token is missing or invalid.', headers: CHALLENGE_HEADER, content: CONTENT },
    Forbidden: { description: 'The token does not permit this request.', headers: CHALLENGE_HEADER, content: CONTENT },
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
      description: 'An error, or a response with a status that the service behind the endpoint has set.',
      headers: {
        'Retry-After': {
          description: 'The number of seconds to wait before the next attempt.',
          schema: { type: 'string' },
        },
      },
      content: { 'application/json': { schema: { anyOf: [ERROR_REFERENCE, answer] } } },
    },
  };
}
