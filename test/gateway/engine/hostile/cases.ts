import { type HostileCase, times } from './hostile-case.ts';
import { chains, parcels, tangle } from './requirements.ts';
import {
  interfaceObjects,
  interfaces,
  interfacesApart,
  keyMesh,
  keyRing,
  sharedType,
  sizes,
  unions,
} from './shapes.ts';

export type { HostileCase } from './hostile-case.ts';

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...parcels,
  ...[4, 16, 40].flatMap((length) =>
    [1, 2, 8].flatMap((count) =>
      [1, 5].flatMap((back) => (['ends', 'all'] as const).map((one) => chains(length, count, back, one))),
    ),
  ),
  ...times(30, tangle),
  ...[2, 5, 20].flatMap((count) =>
    [6, 12].flatMap((depth) => [
      interfaces(count, depth, 'field'),
      interfaces(count, depth, 'each type'),
      interfacesApart(count, depth),
    ]),
  ),
  keyRing(4),
  keyRing(12),
  keyMesh(3),
  keyMesh(8),
  ...sizes,
  sharedType(5, 2),
  sharedType(30, 0),
  sharedType(30, 4),
  unions(10, 2),
  unions(60, 1),
  unions(60, 4),
  interfaceObjects(3, 2),
  interfaceObjects(30, 4),
];
