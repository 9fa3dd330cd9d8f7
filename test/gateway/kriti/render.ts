import { type Bindings, parseTemplate, parseTextTemplate } from '../../../gateway/webhooks/kriti/index.ts';

/** The values that the tests' templates are given. */
export const BINDINGS: Bindings = {
  variables: {
    $base_url: 'https://api.test/v1',
    $body: {
      action: { name: 'create_user' },
      input: {
        username: 'jane',
        age: 27,
        admin: false,
        nothing: null,
        'a key': 'with a blank',
        tags: ['red', 'green', 'blue'],
        articles: [
          { id: 0, title: 'Elements', length: 150, published: true },
          { id: 1, title: 'Handbook', length: 1000, published: false },
        ],
      },
    },
    $session_variables: { 'x-hasura-user-id': 'auth0|7', 'x-hasura-role': 'user' },
  },
  sessionVariables: { 'x-hasura-user-id': 'auth0|7', 'x-hasura-role': 'user' },
};

const NAMES = Object.keys(BINDINGS.variables);

/** What a template that makes JSON gives. */
export function render(template: string, bindings = BINDINGS): unknown {
  return parseTemplate(template, NAMES).evaluate(bindings);
}

/** What a template that makes a text gives. */
export function renderText(template: string, bindings = BINDINGS): string | null {
  return parseTextTemplate(template, NAMES).text(bindings);
}

/** What a template of a URL gives. */
export function renderUrl(template: string, bindings = BINDINGS): string {
  return parseTextTemplate(template, NAMES).url(bindings, new Set(['$base_url']));
}

/** The bindings with other input. */
export function withInput(input: unknown): Bindings {
  return { ...BINDINGS, variables: { ...BINDINGS.variables, $body: { input } } };
}
