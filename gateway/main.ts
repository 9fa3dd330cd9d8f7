// The gateway, as containers start it. With words behind it, it is the command `portico`: `main.js check metadata` must not begin
// to serve in place of checking.
const isCommand = process.argv.length > 2;

if (isCommand) await import('./operations/cli/main.ts');
else {
  const { serve } = await import('./process/index.ts');
  serve(process.env);
}
