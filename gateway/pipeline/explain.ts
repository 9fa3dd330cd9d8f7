import type { IncomingHttpHeaders } from 'node:http';
import { ADMIN_ROLE, type Authenticator, type Session } from '../access/session/index.ts';
import type { DocumentCost } from './document/index.ts';
import { asksForExplanation, type ExplainedCost, type ExplainedPlan, Explanation } from './explanation.ts';
import type { PlanPart, Plans } from './plan/index.ts';
import type { ParsedRequest } from './requests.ts';
import type { RoleLimits } from './validation/index.ts';

/** Decides which requests are explained. */
export class ExplanationPolicy {
  readonly #authenticator: Pick<Authenticator, 'showsAdminSecret'>;
  readonly #roles: ReadonlySet<string>;

  /** @param roles roles that may request explanations, besides `admin` and requests with the admin secret. */
  constructor(authenticator: Pick<Authenticator, 'showsAdminSecret'>, roles: readonly string[]) {
    this.#authenticator = authenticator;
    this.#roles = new Set(roles);
  }

  /**
   * Begins the explanation of an operation before its document is validated. Returns undefined if the request does not
   * ask for an explanation or is not permitted to get one. In the latter case the header has no effect.
   *
   * @param session the session of the request. If the headers contain an admin secret, it has been verified for the
   *   session.
   */
  open(
    { context, document, cache }: ParsedRequest,
    { role }: Session,
    isValidated: () => boolean,
  ): Explanation | undefined {
    const { requestId, span, record, clientHeaders } = context;
    if (!asksForExplanation(clientHeaders) || !this.#mayHave(role, clientHeaders)) return undefined;
    return new Explanation({
      role,
      requestId,
      traceId: span?.traceId,
      isValidated: isValidated(),
      cost: costAgainst(document.cost, cache.rules.limitsOf(role)),
      record,
    });
  }

  #mayHave(role: string, headers: IncomingHttpHeaders): boolean {
    return role === ADMIN_ROLE || this.#roles.has(role) || this.#authenticator.showsAdminSecret(headers);
  }
}

const MEASURES = ['depth', 'nodes', 'aliases', 'directives', 'repetition', 'introspections'] as const;

function costAgainst(cost: DocumentCost, limits: RoleLimits): Readonly<Record<string, ExplainedCost>> {
  return Object.fromEntries(
    MEASURES.map((measure) => {
      const limit = limits[measure];
      return [measure, { value: cost[measure], ...(Number.isFinite(limit) && { limit }) }];
    }),
  );
}

/** The plan of an operation as the explanation shows it. */
export function explainPlan(
  { plan: { kind, parts }, events }: Plans,
  isCached: boolean,
  variables: Readonly<Record<string, unknown>>,
  { cache }: ParsedRequest,
  role: string,
): ExplainedPlan {
  const { sources } = cache.generation;
  const nameOf = (owner: PlanPart['owner']) =>
    owner === 'graph' ? 'introspection' : (sources.find((one) => one.subschemaFor(role) === owner)?.name ?? 'graph');
  // The first source provides the events. The others complete each event.
  if (events) {
    const steps = events.parts.map((part, at) => ({ source: nameOf(part), wave: at === 0 ? 1 : 2 }));
    return { kind: 'subscription', cached: isCached, steps };
  }
  const steps = parts?.flatMap(({ owner, fields, wave, describe }) => {
    const requests = describe?.(variables);
    if (!requests) return [{ source: nameOf(owner), fields, wave }];
    return requests.map((one) => ({ ...one, wave: wave + one.wave - 1 }));
  });
  return { kind, cached: isCached, steps };
}
