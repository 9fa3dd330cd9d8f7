/** A supergraph that cannot be served. Its message has a paragraph for each problem, as those of graphql-js. */
export class UnusableSupergraph extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n\n'));
    this.name = 'UnusableSupergraph';
  }
}
