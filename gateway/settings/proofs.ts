import { z } from 'zod';
import { assertionSettings } from '../access/assertions/index.ts';
import { MIN_SECRET_LENGTH } from '../webhooks/calls/index.ts';

/** Signatures and assertions for services. */
export const proofSettings = {
  PORTICO_WEBHOOK_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `expected at least ${MIN_SECRET_LENGTH} characters`)
    .optional()
    .describe('Secret that signs calls to action webhooks. See [webhook-signatures.md](webhook-signatures.md).'),
  ...assertionSettings,
};
