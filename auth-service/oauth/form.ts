import express, { type Request, type RequestHandler } from 'express';
import { expectedForm, invalidTarget, missingParameter, repeatedParameter } from './errors.ts';

const FORM = 'application/x-www-form-urlencoded';
const BODY_LIMIT = '16kb';

/** Reads a form's text, which `readForm` parses. */
export const formBody: RequestHandler[] = [
  (request, _response, next) => {
    next(request.is(FORM) ? undefined : expectedForm(FORM));
  },
  express.text({ type: FORM, limit: BODY_LIMIT, inflate: false }),
];

/** The parameters of a request. A parameter without a value counts as absent (RFC 6749, section 3.2). */
export type Form = ReadonlyMap<string, string>;

/** Names the resources that a token is for. It is the only parameter that may be repeated (RFC 8707, section 2). */
const RESOURCE = 'resource';

/** @throws OAuthError `invalid_request` if a parameter is repeated. */
export function readForm(request: Request): Form {
  const form = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(typeof request.body === 'string' ? request.body : '')) {
    if (seen.has(name) && name !== RESOURCE) throw repeatedParameter();
    seen.add(name);
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** @throws OAuthError `invalid_target` if the form names a resource. */
export function requireNoResource(form: Form): void {
  if (form.has(RESOURCE)) throw invalidTarget();
}

/** @throws OAuthError `invalid_request` if the parameter is missing. `name` is a constant, not the caller's input. */
export function required(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw missingParameter(name);
  return value;
}
