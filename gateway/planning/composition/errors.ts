/** A supergraph cannot be served. As in graphql-js, the message has one paragraph for each problem. */
export class UnusableSupergraph extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('\n\n'));
    this.name = 'UnusableSupergraph';
  }
}
