/**
 * How the demo's platform operator logs in. Public: never added in production. `npm start`, which runs the auth service as another
 * process, names it too.
 */
export const DEMO_OPERATOR = {
  clientId: '7c0e4c5e-94f6-4d0e-8d2a-0d9a3f1c5b6e',
  clientSecret: 'operator-demo-secret',
} as const;
