import type { FieldModel, GraphModel, ObjectModel } from './graph-model.ts';

/** Removes from a model, in place, what is not needed for a failure, so that its subgraphs can be read. */
export async function reduceModel(model: GraphModel, fails: () => Promise<boolean>): Promise<void> {
  const lists: readonly unknown[][] = [
    model.query,
    model.mutation,
    model.subscription,
    ...model.objects.map(({ fields }) => fields),
    ...model.interfaces.map(({ objectFields }) => objectFields),
  ];
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    const members = model.interfaces.map((one) => one.members as string[]);
    const whole = [model.objects, model.interfaces, model.graphs] as unknown[][];
    for (const list of [...lists, ...members, ...whole]) isSmaller = (await without(list, fails)) || isSmaller;
    for (const field of lists.flat() as FieldModel[]) isSmaller = (await withFewerShares(field, fails)) || isSmaller;
    for (const object of model.objects) isSmaller = (await withFewerKeys(object, fails)) || isSmaller;
  }
}

async function without(list: unknown[], fails: () => Promise<boolean>): Promise<boolean> {
  const before = list.length;
  for (let at = before - 1; at >= 0; at--) {
    const removed = list.splice(at, 1);
    if (!(await fails())) list.splice(at, 0, ...removed);
  }
  return list.length < before;
}

async function withFewerShares({ shares }: FieldModel, fails: () => Promise<boolean>): Promise<boolean> {
  const before = shares.size;
  for (const [graph, share] of [...shares]) {
    shares.delete(graph);
    if (shares.size === 0 || !(await fails())) shares.set(graph, share);
  }
  return shares.size < before;
}

async function withFewerKeys({ graphs }: ObjectModel, fails: () => Promise<boolean>): Promise<boolean> {
  let isSmaller = false;
  for (const [graph, keys] of graphs)
    for (const key of keys) {
      const left = (graphs.get(graph) ?? []).filter((one) => one !== key);
      if (left.length === 0) continue;
      const known = graphs.get(graph) ?? [];
      graphs.set(graph, left);
      if (await fails()) isSmaller = true;
      else graphs.set(graph, known);
    }
  return isSmaller;
}
