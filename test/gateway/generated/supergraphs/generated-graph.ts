import { type GraphQLSchema, getOperationAST, parse, print, validateSchema } from 'graphql';
import { type Composition, compose } from '../../../../gateway/planning/composition/compose.ts';
import { responseObject, SubgraphFailure } from '../../../../gateway/planning/joins/index.ts';
import { buildPublicSchema, overrideLabels, resolveOverrides } from '../../../../gateway/planning/supergraph/index.ts';
import { eventsRequest, openFederatedGraph } from '../../federation/open-federated-graph.ts';
import { sending } from '../../federation/sending.ts';
import type { Answered } from '../same-answer.ts';
import type { GraphModel } from './graph-model.ts';
import { type ModelServices, openModelServices } from './model-services.ts';

/** Subgraphs of a model, composed, without servers. */
export interface GeneratedGraph extends ModelServices {
  readonly supergraphSdl: string;
  /** One schema of everything, which clients see. */
  readonly whole: GraphQLSchema;
  /** Subgraphs that do not answer. */
  readonly down: Set<string>;
  /** @throws UnplannableOperation */
  plan(text: string, variables: Readonly<Record<string, unknown>>): Promise<Answered>;
}

/**
 * Composes the subgraphs of a model.
 * @param active the labels of overrides that are active
 * @returns why they do not compose, where they do not
 */
export function openGeneratedGraph(model: GraphModel, active: ReadonlySet<string>): GeneratedGraph | string {
  const services = openModelServices(model, active);
  const down = new Set<string>();
  const composed: Composition = compose([...services.sdls].map(([name, sdl]) => ({ name, sdl })));
  if ('problems' in composed) return composed.problems.map(({ code, message }) => `${code}: ${message}`).join('\n');
  const given = parse(composed.supergraph.join('\n\n'), { noLocation: true });
  const supergraph = overrideLabels(given).length > 0 ? resolveOverrides(given, active) : given;
  const supergraphSdl = print(supergraph);
  const run = async (service: string, query: string, variables: Readonly<Record<string, unknown>>) => {
    if (down.has(service)) throw new SubgraphFailure(`${service} is down`);
    return services.answer(service, query, variables);
  };
  const send = sending<undefined>(async (service, body) => {
    const { query, variables = {} } = JSON.parse(body);
    return JSON.stringify(await run(service, query, variables));
  });
  const federated = openFederatedGraph<undefined>(supergraphSdl, send);
  const invalid = validateSchema(buildPublicSchema(supergraph)).map(({ message }) => message);
  if (invalid.length > 0) return `INVALID_SCHEMA: ${invalid[0]}`;
  const whole = services.wholeSchema(buildPublicSchema(supergraph));
  return {
    ...services,
    supergraphSdl,
    whole,
    down,
    plan: async (text, variables) => {
      if (getOperationAST(parse(text))?.operation !== 'subscription')
        return responseObject(await federated.prepare(text).run(variables, undefined));
      const planned = await federated.prepareSubscription(text).plan(variables);
      const source = eventsRequest(planned, variables);
      const event = await run(source.subgraph, source.query, source.variables);
      return responseObject(await planned.join(event, variables, undefined));
    },
  };
}
