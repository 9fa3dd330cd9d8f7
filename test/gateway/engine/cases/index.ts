import type { Case } from './case.ts';
import { firstVersion } from './first-version.ts';
import { interfaceObjectsBelowEachOther } from './interface-objects.ts';
import { queryInPayload } from './query-in-payload.ts';
import { rootTypeNames } from './root-type-names.ts';
import { externalKeysOfSharedRoot, unionBelowSharedFields } from './shared-roots.ts';
import {
  providedOfRecursiveType,
  requirementsByArguments,
  requirementWithinKey,
  requirementWithinKeyElsewhere,
  sharedValueBelowInterface,
  typeNameAsKey,
} from './values-and-keys.ts';

export type { Case, CaseOperation, Way } from './case.ts';

export const CASES: readonly Case[] = [
  externalKeysOfSharedRoot,
  sharedValueBelowInterface,
  requirementsByArguments,
  requirementWithinKey,
  requirementWithinKeyElsewhere,
  queryInPayload,
  firstVersion,
  typeNameAsKey,
  providedOfRecursiveType,
  unionBelowSharedFields,
  rootTypeNames,
  interfaceObjectsBelowEachOther,
];
