import { z } from 'zod';
import { otlpSettings, setting, tracingSettings } from '../../platform/index.ts';

/** Traces. The push of metrics is part of the platform's settings. */
export const telemetrySettings = {
  ...otlpSettings,
  ...tracingSettings,
  PORTICO_TRACE_TRUST: z
    .enum(['proxies', 'all', 'none'], { error: 'expected proxies, all or none' })
    .default('proxies')
    .describe(
      "Which requests continue the trace of their caller. `proxies`: requests that arrive through your reverse proxies (`PORTICO_TRUSTED_PROXIES`). `all`: all requests. `none`: no requests. Other requests start a new trace with a link to the caller's trace, and their baggage is dropped.",
    ),
  PORTICO_TRACE_RESPONSE: setting
    .flag(false)
    .describe('Whether responses contain the header `traceresponse` with the trace id.'),
};
