import { z } from 'zod';
import { KritiSyntaxError, parseTemplate, parseTextTemplate, type TextTemplate } from '../../webhooks/kriti/index.ts';
import { FRAMING_HEADERS, mapping, problemsOfShape } from '../shapes/index.ts';

/** The variables that request templates may use. */
const REQUEST_VARIABLES = ['$body', '$base_url', '$session_variables', '$query_params'];
/** The variables that response templates may use. */
const RESPONSE_VARIABLES = ['$body', '$response', '$session_variables', '$request'];

const REQUEST_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function parseOrReport<T>(parse: (source: string, variables: readonly string[]) => T, variables: readonly string[]) {
  return (source: string, context: z.RefinementCtx): T => {
    try {
      return parse(source, variables);
    } catch (error) {
      if (!(error instanceof KritiSyntaxError)) throw error;
      const place = `line ${error.line}, column ${error.column} of the template`;
      context.addIssue({ code: 'custom', message: `${place}: ${error.message}` });
      return z.NEVER;
    }
  };
}

/** A template that produces a JSON value from these variables. */
export const template = (variables: readonly string[]) => z.string().transform(parseOrReport(parseTemplate, variables));

const textTemplate = (variables: readonly string[]) =>
  z
    .union([z.string(), z.number(), z.boolean()], { error: 'expected a text' })
    .transform(String)
    .transform(parseOrReport(parseTextTemplate, variables));

const requestText = textTemplate(REQUEST_VARIABLES);

/** The template of a header, a parameter or a form field. */
export interface NamedText {
  readonly name: string;
  readonly value: TextTemplate;
}

/** Templates by name. Null values are left out. */
const namedTexts = (name: z.ZodString) =>
  z
    .record(name, requestText.nullable(), {
      error: (issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined),
    })
    .transform((map) => Object.entries(map).flatMap(([key, value]) => (value === null ? [] : [{ name: key, value }])));

const engine = z.enum(['Kriti'], { error: 'expected Kriti' }).nullish();
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected a header name');
const addedHeader = headerName.refine((name) => !FRAMING_HEADERS.has(name.toLowerCase()), {
  error: 'this header is not for templates: it says how the message is sent',
});

/** The parts of a request transform that both versions share. */
const requestShape = {
  template_engine: engine,
  method: z
    .string()
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(REQUEST_METHODS, { error: `expected one of ${REQUEST_METHODS.join(', ')}` }))
    .nullish(),
  url: requestText.nullish(),
  query_params: shapeByValue<TextTemplate | readonly NamedText[]>((value) =>
    typeof value === 'string' ? requestText : namedTexts(z.string()),
  ).nullish(),
  request_headers: mapping({
    add_headers: namedTexts(addedHeader).nullish(),
    remove_headers: z.array(headerName).nullish(),
  }).nullish(),
  content_type: z.string().nullish(),
};

const requestBodyShape = z.discriminatedUnion(
  'action',
  [
    mapping({ action: z.literal('transform'), template: template(REQUEST_VARIABLES) }),
    mapping({ action: z.literal('remove') }),
    mapping({ action: z.literal('x_www_form_urlencoded'), form_template: namedTexts(z.string()) }),
  ],
  { error: 'expected a mapping whose action is transform, remove or x_www_form_urlencoded' },
);

const responseBodyShape = z.discriminatedUnion(
  'action',
  [
    mapping({ action: z.literal('transform'), template: template(RESPONSE_VARIABLES) }),
    mapping({ action: z.literal('remove') }),
  ],
  { error: 'expected a mapping whose action is transform or remove' },
);

const transformBody = <T>(body: T) => ({ action: 'transform' as const, template: body });

/** `request_transform` of an action: the request that replaces the usual one. */
export const requestTransform = byVersion(
  mapping({
    ...requestShape,
    version: z.literal(1, { error: 'expected 1 or 2' }).nullish(),
    body: template(REQUEST_VARIABLES).transform(transformBody).nullish(),
  }),
  // Hasura's console also writes a content_type here, but only version 1 uses it.
  mapping({ ...requestShape, version: z.literal(2), body: requestBodyShape.nullish() }).transform((transform) => ({
    ...transform,
    content_type: undefined,
  })),
);

/** `response_transform` of an action: how the webhook's response is converted. */
export const responseTransform = byVersion(
  mapping({
    template_engine: engine,
    version: z.literal(1, { error: 'expected 1 or 2' }).nullish(),
    body: template(RESPONSE_VARIABLES).transform(transformBody).nullish(),
  }),
  mapping({ template_engine: engine, version: z.literal(2), body: responseBodyShape.nullish() }),
);

export type RequestTransform = z.output<typeof requestTransform>;
export type ResponseTransform = z.output<typeof responseTransform>;

/** Selects the shape by the value's version, with version 1 as the default. Only problems of that shape are reported. */
function byVersion<One, Two>(one: z.ZodType<One>, two: z.ZodType<Two>) {
  return shapeByValue<One | Two>((value) => ((value as { version?: unknown } | null)?.version === 2 ? two : one));
}

/** Validates a value with the shape that `choose` returns for it. Only problems of that shape are reported. */
export function shapeByValue<T>(choose: (value: unknown) => z.ZodType<T>) {
  return z.unknown().transform((value, context): T => {
    const result = choose(value).safeParse(value);
    if (result.success) return result.data;
    for (const { path, message } of problemsOfShape(result.error))
      context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  });
}
