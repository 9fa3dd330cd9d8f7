import { describeProblem, type Metadata, type ValuePath } from '../../../metadata/index.ts';

/** Returns where the metadata uses what Hasura does not have, one line each. */
export function extensionsOf(metadata: Metadata): readonly string[] {
  return [...typeExtensions(metadata), ...actionExtensions(metadata)];
}

function typeExtensions({ actionTypes }: Metadata): readonly string[] {
  return actionTypes.extensions.map(({ what, ...location }) =>
    describeProblem({ ...location, message: `${what}, which Hasura does not have` }),
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
