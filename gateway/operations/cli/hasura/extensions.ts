import { describeProblem, type Metadata, type ValuePath } from '../../../metadata/index.ts';

/** Returns where the metadata uses what Hasura does not have, one line each. */
export function extensionsOf(metadata: Metadata): readonly string[] {
  return [...typeExtensions(metadata), ...actionExtensions(metadata), ...handlerExtensions(metadata)];
}

function typeExtensions({ actionTypes }: Metadata): readonly string[] {
  return actionTypes.extensions.map(({ what, ...location }) =>
    describeProblem({ ...location, message: `${what}, which Hasura does not have` }),
  );
}

/** The handlers that run saved operations in place of a webhook. */
function handlerExtensions({ operationHandlers, place }: Metadata): readonly string[] {
  const { actions, cronTriggers, deliveries } = operationHandlers;
  return [actions, cronTriggers, deliveries].flatMap((ofKind) =>
    [...ofKind.values()].map(({ kind, name, path }) =>
      describeProblem({
        ...place(kind, path),
        message: `the handler of "${name}" runs saved operations, which Hasura does not support`,
      }),
    ),
  );
}

function actionExtensions(metadata: Metadata): readonly string[] {
  return metadata.actions.actions.flatMap(({ name, definition }, index) => {
    const extension = (path: ValuePath, message: string) =>
      describeProblem({
        ...metadata.place('actions', ['actions', index, 'definition', ...path]),
        message: `action "${name}": ${message}, which Hasura does not have`,
      });
    return [
      ...(definition.kind === 'subscription' ? [extension(['kind'], 'is a subscription')] : []),
      ...(definition.job?.progress ? [extension(['job', 'progress'], 'its result has a field `progress`')] : []),
    ];
  });
}
