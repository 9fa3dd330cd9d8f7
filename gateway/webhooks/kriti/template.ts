import { type Bindings, evaluate, insertedText, urlText } from './evaluate.ts';
import { parseBareText, parseJsonTemplate } from './parse.ts';
import { type TemplatePath, templatePathsOf } from './paths.ts';
import type { TemplateValue } from './syntax.ts';
import { Work } from './work.ts';

/** A parsed template that makes a JSON value. */
export interface Template {
  /** The values that it reads. */
  readonly paths: readonly TemplatePath[];
  /** @throws KritiEvaluationError when the values are not what the template expects, or too many. */
  evaluate(bindings: Bindings): TemplateValue;
}

/** A parsed template that makes a text, such as a header's value. */
export interface TextTemplate {
  /** The values that it reads. */
  readonly paths: readonly TemplatePath[];
  /**
   * The text; null when the template is nothing but one `{{ … }}` and that is null.
   *
   * @throws KritiEvaluationError when the values are not what the template expects, or too many.
   */
  text(bindings: Bindings): string | null;
  /**
   * The text as a URL or a query string: values are escaped, except for those of the variables in `trusted`.
   *
   * @throws KritiEvaluationError
   */
  url(bindings: Bindings, trusted: ReadonlySet<string>): string;
}

/**
 * Parses a template that makes a JSON value.
 *
 * @param variables the names that it may use, such as `$body`.
 * @throws KritiSyntaxError
 */
export function parseTemplate(source: string, variables: readonly string[]): Template {
  const expression = parseJsonTemplate(source, variables);
  return {
    paths: templatePathsOf(expression),
    evaluate: (bindings) => {
      const work = new Work(source);
      const value = evaluate(expression, { ...bindings, work });
      work.checkSize(value);
      return value;
    },
  };
}

/**
 * Parses a template that makes a text: everything outside of `{{ … }}` is literal.
 *
 * @param variables the names that it may use, such as `$body`.
 * @throws KritiSyntaxError
 */
export function parseTextTemplate(source: string, variables: readonly string[]): TextTemplate {
  const expression = parseBareText(source, variables);
  return {
    paths: templatePathsOf(expression),
    text: (bindings) => {
      const evaluation = { ...bindings, work: new Work(source) };
      const [only, ...others] = expression.parts;
      const value = typeof only === 'object' && others.length === 0 ? evaluate(only, evaluation) : undefined;
      if (value === null) return null;
      return insertedText(value ?? evaluate(expression, evaluation), evaluation.work, expression.at);
    },
    url: (bindings, trusted) => urlText(expression, { ...bindings, work: new Work(source) }, trusted),
  };
}
