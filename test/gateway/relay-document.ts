/** Sections of the page, each with components of its own. */
const SECTIONS = 41;

/** What a feed of the kind that Relay is written for has. */
export const FEED_SCHEMA = /* GraphQL */ `
  interface Node {
    id: ID!
  }
  type Query {
    viewer: User
    node(id: ID!): Node
  }
  type User implements Node {
    id: ID!
    name: String
    avatar(size: Int): Image
    ${connections()}
  }
  type Image {
    uri: String
    width: Int
  }
  type Story implements Node {
    id: ID!
    title: String
    body: String
    author: User
    comments(first: Int, after: String): CommentConnection
    likes: Int
    hasLiked: Boolean
  }
  type Comment implements Node {
    id: ID!
    text: String
    author: User
    likes: Int
  }
  type CommentConnection {
    edges: [CommentEdge]
    pageInfo: PageInfo
  }
  type CommentEdge {
    cursor: String
    node: Comment
  }
  type StoryConnection {
    edges: [StoryEdge]
    pageInfo: PageInfo
  }
  type StoryEdge {
    cursor: String
    node: Story
  }
  type PageInfo {
    endCursor: String
    hasNextPage: Boolean
  }
`;

function connections(): string {
  return Array.from(
    { length: SECTIONS },
    (_, index) => `stories${index}(first: Int, after: String): StoryConnection`,
  ).join('\n');
}

/**
 * A query of one page as Relay's compiler writes it: a fragment for each component, spread where the component is used, with the
 * `id` and `__typename` that the compiler adds. It has 6,140 tokens and 288 fragments.
 */
export function relayDocument(): string {
  const sections = Array.from({ length: SECTIONS }, (_, index) => sectionFragments(index)).join('\n');
  const spreads = Array.from({ length: SECTIONS }, (_, index) => `...Section${index}_viewer`).join(' ');
  return `query PageQuery($count: Int, $cursor: String, $size: Int) {
    viewer { ...Page_viewer id }
  }
  fragment Page_viewer on User { ${spreads} id }
  ${sections}`;
}

function sectionFragments(index: number): string {
  const name = `Section${index}`;
  return `
  fragment ${name}_viewer on User {
    stories${index}(first: $count, after: $cursor) {
      edges { node { ...${name}Card_story id __typename } cursor }
      pageInfo { endCursor hasNextPage }
    }
    ...${name}Composer_viewer
  }
  fragment ${name}Composer_viewer on User { name avatar(size: $size) { uri } id }
  fragment ${name}Card_story on Story { ...${name}Header_story ...${name}Body_story ...${name}Footer_story id }
  fragment ${name}Header_story on Story { title author { ...${name}Author_user id } id }
  fragment ${name}Author_user on User { name avatar(size: $size) { uri width } id }
  fragment ${name}Body_story on Story { body id }
  fragment ${name}Footer_story on Story {
    likes
    hasLiked
    comments(first: $count) {
      edges { node { text likes author { name id } id __typename } cursor }
      pageInfo { endCursor hasNextPage }
    }
  }`;
}
