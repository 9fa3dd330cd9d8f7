import { z } from 'zod';
import { isOwnPath } from '../own-paths.ts';
import { configuredHeaders, flag, mapping, name, serviceAssertion, timeoutSeconds } from './shapes/index.ts';

const pathShape = z
  .string()
  .regex(/^(\/[\w.~-]+)+$/, 'expected a path such as /api/orders, without a slash at its end')
  .refine((text) => !/(^|\/)\.\.?(\/|$)/.test(text), 'expected a path without dot segments');

/** An address that needs no token: a complete path and its methods. GET includes HEAD. */
const publicAddress = mapping({
  path: pathShape,
  methods: z.array(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])).min(1),
});

/** `services.yaml`, Portico's own: plain HTTP services whose requests are passed through, each below a path. */
export const servicesShape = z
  .array(
    mapping({
      name,
      comment: z.string().nullish(),
      path: pathShape.refine((text) => !isOwnPath(text), 'this path is the gateway’s own'),
      url: z.string().min(1).nullish(),
      url_from_env: z.string().min(1).nullish(),
      timeout_seconds: timeoutSeconds(60),
      forward_client_headers: flag,
      headers: configuredHeaders,
      service_assertion: serviceAssertion,
      permissions: z.array(mapping({ role: name })).optional(),
      /**
       * For the endpoints of an authorization server, which callers need before they have a token. Only requests to these
       * addresses are passed through, without a token and without claims.
       */
      only_public_without_token: z.array(publicAddress).min(1).optional(),
    }),
  )
  .superRefine((services, context) => {
    const paths = services.map(({ path }) => path);
    services.forEach((service, index) => {
      const first = services[paths.indexOf(service.path)];
      if (first !== service) {
        const message = `the service "${first?.name}" has this path already: requests would never reach "${service.name}"`;
        context.addIssue({ code: 'custom', path: [index, 'path'], message });
      }
      if ((service.url == null) === (service.url_from_env == null))
        context.addIssue({ code: 'custom', path: [index], message: 'expected exactly one of url and url_from_env' });
      const open = service.only_public_without_token;
      if (!open) return;
      const complain = (message: string, ...place: (string | number)[]) =>
        context.addIssue({ code: 'custom', path: [index, ...place], message });
      if (service.permissions) complain('a service that requires no token cannot have permissions', 'permissions');
      open.forEach((address, at) => {
        if (address.path !== service.path && !address.path.startsWith(`${service.path}/`))
          complain(`expected a path below ${service.path}`, 'only_public_without_token', at, 'path');
      });
    });
  });

export type ServiceMetadata = z.output<typeof servicesShape>[number];
