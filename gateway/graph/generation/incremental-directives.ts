import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';

const condition = { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: true };
const label = { type: GraphQLString };

/**
 * Directives with which a client accepts a response in several payloads (GraphQL, "Incremental Delivery"). The service
 * decides whether it sends several payloads. Most responses have one payload, so introspection does not list these
 * directives.
 */
export const INCREMENTAL_DIRECTIVES: readonly GraphQLDirective[] = [
  new GraphQLDirective({
    name: 'defer',
    description: 'Allows the fragment to be delivered after the rest of the response.',
    locations: [DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT],
    args: { if: condition, label },
  }),
  new GraphQLDirective({
    name: 'stream',
    description: 'Allows items of the list to be delivered after the rest of the response.',
    locations: [DirectiveLocation.FIELD],
    args: { if: condition, label, initialCount: { type: GraphQLInt, defaultValue: 0 } },
  }),
];
