import { z } from 'zod';
import { mapping } from './mapping.ts';
import { configuredHeaders, flag, name, timeoutSeconds } from './shared-shapes.ts';

/** `services.yaml`, Portico's own: plain HTTP services that are passed through under a path. */
export const servicesShape = z
  .array(
    mapping({
      name,
      comment: z.string().nullish(),
      path: z
        .string()
        .regex(/^(\/[\w.~-]+)+$/, 'expected a path such as /api/orders, without a slash at its end')
        .refine(
          (path) => !/^\/(v1|api\/rest|api\/swagger|healthz|readyz)(\/|$)/.test(path),
          'this path is the gateway’s own',
        ),
      url: z.string().min(1).nullish(),
      url_from_env: z.string().min(1).nullish(),
      timeout_seconds: timeoutSeconds(60),
      forward_client_headers: flag,
      headers: configuredHeaders,
      permissions: z.array(mapping({ role: name })).optional(),
    }),
  )
  .superRefine((services, context) => {
    services.forEach((service, index) => {
      if ((service.url == null) === (service.url_from_env == null))
        context.addIssue({ code: 'custom', path: [index], message: 'expected exactly one of url and url_from_env' });
    });
  });

export type ServiceMetadata = z.output<typeof servicesShape>[number];
