import { register } from 'node:module';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { GraphQLInstrumentation } from '@opentelemetry/instrumentation-graphql';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

// Loaded before the gateway. Sets up OpenTelemetry's instrumentation of node:http, undici and graphql as its documentation
// recommends, and samples all traces.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
const exporter = new OTLPTraceExporter({ url: `${process.env.INSTRUMENTATION_COLLECTOR}/v1/traces` });
new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'portico-instrumented' }),
  spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: 65_536, maxExportBatchSize: 512 })],
}).register();
registerInstrumentations({
  instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation(), new GraphQLInstrumentation()],
});
