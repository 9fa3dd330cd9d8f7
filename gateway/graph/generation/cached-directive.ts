import { DirectiveLocation, GraphQLBoolean, GraphQLDirective, GraphQLInt } from 'graphql';

/**
 * Hasura's directive for queries whose responses may be cached (https://hasura.io/docs/2.0/caching/caching-config/).
 * The gateway has no response cache, so the directive has no effect and introspection does not list it.
 */
export const CACHED_DIRECTIVE = new GraphQLDirective({
  name: 'cached',
  locations: [DirectiveLocation.QUERY],
  args: {
    ttl: { type: GraphQLInt, defaultValue: 60 },
    refresh: { type: GraphQLBoolean, defaultValue: false },
  },
});
