import { z } from 'zod';
import { mapping, name, sessionCondition } from './shapes/index.ts';

/** `rest_endpoints.yaml`: paths under /api/rest/ that run a saved operation. */
export const restEndpointsShape = z.array(
  mapping({
    name,
    comment: z.string().nullish(),
    url: z.string().superRefine((url, context) => {
      const segments = url.split('/');
      if (url.startsWith('/')) context.addIssue('expected the path after /api/rest/, without a slash at its beginning');
      else if (segments.some((segment) => segment === '' || segment === ':'))
        context.addIssue('expected path segments between single slashes, none of them empty');
      const parameters = segments.filter((segment) => segment.startsWith(':'));
      if (new Set(parameters).size < parameters.length) context.addIssue('a path parameter appears twice');
    }),
    methods: z.array(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])).min(1),
    definition: mapping({
      query: mapping({ collection_name: name, query_name: name }),
    }),
    /** Portico's own: the condition that sessions must meet to call the endpoint. */
    session_condition: sessionCondition.optional(),
  }),
);

export type RestEndpointMetadata = z.output<typeof restEndpointsShape>[number];
export type RestMethod = RestEndpointMetadata['methods'][number];
