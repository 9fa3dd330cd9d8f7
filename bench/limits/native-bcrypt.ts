import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/bcrypt';

// Measures how many passwords the machine can verify per second on all cores, with only native bcrypt.
const cost = Number(process.env.COST);
const windowSeconds = Number(process.env.SECONDS);
const password = 'a password that is as good as any';
const stored = await hash(password, { cost });
const began = performance.now();
const deadline = began + windowSeconds * 1000;
let verified = 0;

await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    while (performance.now() < deadline) {
      await verify(password, stored);
      verified++;
    }
  }),
);
process.stdout.write(JSON.stringify({ perSecond: verified / ((performance.now() - began) / 1000) }));
