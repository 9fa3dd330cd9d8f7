/** Whether there is such a server to test on. `test/services.mjs` looks once, before all suites. */
export function isServiceThere(name: 'postgres' | 'redis' | 'chromium'): boolean {
  return (process.env.TEST_SERVICES ?? '').split(',').includes(name);
}
