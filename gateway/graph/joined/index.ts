export { JoinedGraph } from './joined-graph.ts';
