import { type Child, type ChildEnded, startChild } from './child.ts';
import type { Screen } from './screen.ts';
import type { ServiceSpec } from './services.ts';

/** A service that is restarted when its code changes, and that may crash without stopping the others. */
export interface RestartableChild extends Child {
  readonly spec: ServiceSpec;
  restart(): Promise<void>;
}

/** Starts a service for development. It keeps its port through all restarts. */
export function startRestartable(spec: ServiceSpec, screen: Screen): RestartableChild {
  let current: Child | undefined;
  let environment = spec.environment;
  let stopped = false;
  let restarted: Promise<void> = Promise.resolve();
  let serve: (port: number) => void = () => {};
  let end: (ending: ChildEnded) => void = () => {};
  const ready = new Promise<number>((resolve) => {
    serve = resolve;
  });
  const ended = new Promise<ChildEnded>((resolve) => {
    end = resolve;
  });

  function begin() {
    const child = startChild({ ...spec, environment }, screen);
    current = child;
    child.ready.then(
      (port) => {
        environment = { ...environment, [spec.portVariable]: String(port) };
        serve(port);
      },
      () => {},
    );
    child.ended.then((ending) => {
      if (stopped) end(ending);
      else if (current === child) screen.complain(`${ending.message}: waiting for a code change`);
    });
  }
  begin();

  return {
    name: spec.name,
    spec,
    ready,
    ended,
    restart() {
      restarted = (async () => {
        const previous = current;
        // Its end is expected from here on.
        current = undefined;
        await previous?.stop();
        if (!stopped) begin();
      })();
      return restarted;
    },
    async stop() {
      stopped = true;
      await restarted;
      await current?.stop();
    },
  };
}
