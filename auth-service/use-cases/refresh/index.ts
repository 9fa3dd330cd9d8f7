export { type ConfirmRotations, createConfirmRotations, type SpentToken } from './confirm-rotations.ts';
export { createRefresh, type Refresh, type RefreshInput, type RefreshResult } from './refresh.ts';
