export { parseAge } from './age.ts';
export { type Cancellable, Cancellation, cancelledBy, type Done } from './cancellation.ts';
export { Chunks } from './chunks.ts';
export { createSealer, jwkThumbprint, type Resealed, type Sealer, SecretComparison } from './cryptography/index.ts';
export { addDays, addSeconds, DAY_MS, DAY_SECONDS, hasRealDate } from './dates.ts';
export { errorCode } from './error-code.ts';
export { Failover } from './failover.ts';
export {
  makeDirectory,
  makeDirectorySync,
  removeEmptyDirectories,
  unwritableReason,
  writeFilesTogether,
} from './files/index.ts';
export {
  boundHeapGrowth,
  type InitialHeap,
  keepWasmUnoptimized,
  limitHeapGrowth,
  SEMI_SPACE_MIB,
  withYoungGeneration,
} from './heap.ts';
export {
  addressUrl,
  basicAuthorization,
  type ConnectionCounts,
  type ConnectionLimits,
  checkPort,
  clientAddress,
  hasCredentials,
  isHeaderValue,
  type ListeningServer,
  type ListenOptions,
  listen,
  type Network,
  networkOf,
  networksOf,
  REQUEST_ID_HEADER,
  repeatedHeader,
  requestIdOf,
  reservePort,
} from './http/index.ts';
export { ImmediateQueue } from './immediate-queue.ts';
export { isJsonObject, parseJson, parseServiceJson } from './json.ts';
export {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
  WHITE_SPACE,
} from './json-bytes.ts';
export { compilePattern, type LinearPattern, UnusablePattern } from './linear-pattern.ts';
export { Listeners } from './listeners.ts';
export {
  boundedText,
  boundedTexts,
  createLogger,
  type LogDestination,
  type Logger,
  lineWriter,
  logJson,
  logText,
} from './logging/index.ts';
export * from './metrics/index.ts';
export { assetUrl, compiledFile, packageDirectory } from './own-code/index.ts';
export { destroyConnection, POOL_CONNECTIONS, withPassword } from './postgres.ts';
export {
  type ChildMessage,
  fail,
  type RunningService,
  runService,
  StartError,
  stopDeadlineMs,
  tellLauncher,
} from './process.ts';
export { COUNTING_REDIS, connectionErrors } from './redis-options.ts';
export { type CacheBounds, SecondChanceCache } from './second-chance-cache.ts';
export {
  flagIn,
  type GivenSettings,
  type MisspeltSetting,
  misspeltSettings,
  readSettings,
  refuseUnreadableFile,
  SettingsError,
  setting,
  settingText,
} from './settings/index.ts';
export { atOnce, inSlices, type Sliced, takeTurns } from './slices.ts';
export { closest, editDistance, likelyMeant, suggestion, unknownKeyMessage } from './spelling.ts';
export * from './telemetry/index.ts';
export { inThread, ThreadEnded } from './thread.ts';
export { isCanonicalUuid, isUuid } from './uuid.ts';
