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
 * With these a client lets parts of an answer come later (GraphQL, "Incremental Delivery"). Whether they do depends on the
 * service that answers; most responses have one payload, so introspection leaves these directives out.
 */
export const INCREMENTAL_DIRECTIVES: readonly GraphQLDirective[] = [
  new GraphQLDirective({
    name: 'defer',
    description: 'The fragment may come after the rest of the answer.',
    locations: [DirectiveLocation.FRAGMENT_SPREAD, DirectiveLocation.INLINE_FRAGMENT],
    args: { if: condition, label },
  }),
  new GraphQLDirective({
    name: 'stream',
    description: 'Items of the list may come after the rest of the answer.',
    locations: [DirectiveLocation.FIELD],
    args: { if: condition, label, initialCount: { type: GraphQLInt, defaultValue: 0 } },
  }),
];
