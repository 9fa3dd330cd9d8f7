export { compileReadRepeated, type JoinChunks, type ReadRepeated, reusingMemory } from './read-repeated.ts';
export {
  compileSharing,
  type PlacesOfOneFetch,
  placesOfOneFetch,
  RepeatedObjects,
  type ShareRepeated,
  type Sharing,
} from './repeated-objects.ts';
