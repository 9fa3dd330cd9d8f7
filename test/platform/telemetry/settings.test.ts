import { expect, test } from '@jest/globals';
import { readSettings, SettingsError } from '../../../platform/index.ts';
import { otlpSettings, tracingProblems, tracingSettings } from '../../../platform/telemetry/index.ts';

function problemsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readSettings({ ...otlpSettings, ...tracingSettings }, environment, tracingProblems);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL'],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf'],
  [{ OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER: expected one of always_on'],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1'],
  [{ OTEL_TRACES_SAMPLER_ARG: '5%' }, 'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1'],
  [{ OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.5' }, 'OTEL_TRACES_SAMPLER_ARG: has no effect'],
  [{ OTEL_PROPAGATORS: 'tracecontext,xray' }, 'OTEL_PROPAGATORS: expected a list of tracecontext'],
  [{ OTEL_PROPAGATORS: 'none,b3' }, 'OTEL_PROPAGATORS: expected none alone'],
  [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, 'OTEL_EXPORTER_OTLP_COMPRESSION: expected none or gzip'],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 'OTEL_EXPORTER_OTLP_TIMEOUT: expected a whole number'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'OTEL_EXPORTER_OTLP_HEADERS: expected name=value pairs'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a b=secret' }, 'member 1 is not of the form name=value'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=secret%0d%0ax:y' }, 'the value of key is not valid'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=secret%' }, 'the value of key is not valid'],
])('%j is a problem that names its variable and shows no value', (environment, expected) => {
  const problems = problemsOf(environment);

  expect(problems).toEqual([expect.stringContaining(expected)]);
  expect(problems.join()).not.toContain('secret');
});

test('the standard values are valid', () => {
  const environment = {
    OTEL_SERVICE_NAME: 'gateway',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production,problem=none,',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    OTEL_PROPAGATORS: 'b3multi, tracecontext',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const settings = readSettings({ ...otlpSettings, ...tracingSettings }, environment);

  expect(settings).toMatchObject({
    OTEL_RESOURCE_ATTRIBUTES: { 'deployment.environment.name': 'production', problem: 'none' },
    OTEL_EXPORTER_OTLP_HEADERS: { authorization: 'Bearer abc' },
    OTEL_PROPAGATORS: ['b3multi', 'tracecontext'],
    OTEL_TRACES_SAMPLER_ARG: 0.01,
  });
});
