import { DirectiveLocation, type GraphQLDirective, type GraphQLSchema, isSpecifiedDirective } from 'graphql';

const IN_OPERATIONS: ReadonlySet<string> = new Set([
  DirectiveLocation.QUERY,
  DirectiveLocation.MUTATION,
  DirectiveLocation.SUBSCRIPTION,
  DirectiveLocation.FIELD,
  DirectiveLocation.FRAGMENT_DEFINITION,
  DirectiveLocation.FRAGMENT_SPREAD,
  DirectiveLocation.INLINE_FRAGMENT,
  DirectiveLocation.VARIABLE_DEFINITION,
]);

/**
 * The directives of a composed graph that operations may hold.
 *
 * @param schema what a role sees, in the graph's names, with the directives that were kept.
 * @param upstream the composed graph itself.
 */
export function executableDirectives(schema: GraphQLSchema, upstream: GraphQLSchema): readonly GraphQLDirective[] {
  return upstream.getDirectives().flatMap((directive) => {
    if (isSpecifiedDirective(directive)) return [];
    return directive.locations.some((location) => IN_OPERATIONS.has(location))
      ? [schema.getDirective(directive.name) ?? directive]
      : [];
  });
}
