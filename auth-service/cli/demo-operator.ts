/**
 * The credentials of the demo's platform operator. They are public and never added in production. `npm start`, which runs the
 * auth service as another process, uses them too.
 */
export const DEMO_OPERATOR = {
  clientId: '7c0e4c5e-94f6-4d0e-8d2a-0d9a3f1c5b6e',
  clientSecret: 'operator-demo-secret',
} as const;
