import { join } from 'node:path';
import { freePort, until } from '../machine/index.ts';
import { COMPILED_DIR, PACKAGE_DIR } from '../package-dir.ts';
import type { RowId } from '../rows.ts';
import { installPackage } from './install.ts';
import { startPortico } from './portico.ts';
import { type BenchMetadata, federationMetadata, plainMetadata } from './portico-metadata.ts';
import { type BenchDependencies, type Target, whenReady } from './target.ts';

const INSTRUMENTATION_DIR = join(PACKAGE_DIR, 'bench/peers/instrumentation');

/** How a target creates its traces. */
interface Traces {
  readonly name: string;
  readonly title: string;
  readonly environment: (collector: string) => Record<string, string>;
  readonly nodeArguments?: readonly string[];
  readonly prepare?: (dependencies: BenchDependencies) => Promise<void>;
}

const TRACES: readonly Traces[] = [
  ...[1, 100].map((percent) => ({
    name: `traces-${percent}`,
    title: `traces of ${percent} %`,
    environment: (collector: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      OTEL_TRACES_SAMPLER_ARG: String(percent / 100),
    }),
  })),
  {
    name: 'instrumented',
    title: "OpenTelemetry's instrumentation",
    environment: (collector) => ({ INSTRUMENTATION_COLLECTOR: collector }),
    nodeArguments: ['--import', join(INSTRUMENTATION_DIR, 'register.mjs')],
    prepare: (dependencies) =>
      installPackage(
        { directory: INSTRUMENTATION_DIR, family: 'instrumentation', package: '@opentelemetry/sdk-trace-node' },
        dependencies,
      ),
  },
];

/**
 * Portico with traces, and with the ready-made instrumentation instead of its own. They are measured in comparison to
 * `portico`, and only if they are named, since the other figures are without traces.
 */
export const tracedTargets: readonly Target[] = TRACES.flatMap((traces) => [
  traced(traces, 'portico', 'Portico', ['U', 'H', 'L', 'W', 'S', 'M', 'A', 'R'], plainMetadata),
  traced(traces, 'portico-federation', 'Portico, federation', ['U', 'H', 'P'], federationMetadata),
]);

function traced(
  { name, title, environment, nodeArguments, prepare }: Traces,
  of: string,
  titleOf: string,
  rows: readonly RowId[],
  metadataFor: (upstream: string) => BenchMetadata,
): Target {
  const target: Target = {
    name: `${of}-${name}`,
    family: 'traces',
    title: `${titleOf}, ${title}`,
    kind: 'portico',
    rows,
    start: async (dependencies) => {
      await prepare?.(dependencies);
      const collector = await startCollector(dependencies);
      const began = performance.now();
      const { member, address } = await startPortico(dependencies, metadataFor(dependencies.subgraphs.url), {
        environment: environment(collector),
        ...(nodeArguments && { nodeArguments }),
      });
      return whenReady(target, 'small', member, address, began);
    },
  };
  return target;
}

/** Starts a collector on the core of the load, so that its cost is not added to the gateway's. */
async function startCollector({ group, cores }: BenchDependencies): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const member = group.start({
    name: 'collector',
    command: [process.execPath, join(COMPILED_DIR, 'bench/collector/main.js')],
    environment: { PORT: String(port) },
    core: cores.load,
  });
  await until('the collector', member, async () => (await fetch(url)).ok);
  return url;
}
