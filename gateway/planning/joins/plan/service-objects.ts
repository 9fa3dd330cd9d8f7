import type { SupergraphTypes } from '../../supergraph/index.ts';
import { type ServiceObject, serviceObjects } from './routes.ts';

/** The types of a graph in each service. Read once for all operations. */
export class ServiceObjects {
  readonly types: SupergraphTypes;
  readonly #byType = new Map<string, ObjectsOfType>();

  constructor(types: SupergraphTypes) {
    this.types = types;
  }

  of(type: string): readonly ServiceObject[] {
    return this.#ofType(type).objects;
  }

  /** Objects of a type in one service, under the type's own name and as interface objects. */
  in(service: string, type: string): readonly ServiceObject[] {
    return this.#ofType(type).byService.get(service) ?? [];
  }

  /** The indices of the objects that have a field. */
  having(type: string, field: string): readonly number[] {
    const { objects, byField } = this.#ofType(type);
    const known = byField.get(field);
    if (known) return known;
    const found = objects.flatMap(({ own }, at) => (own.field(field) ? [at] : []));
    // Names that the type does not have are not cached, because they could fill the memory.
    if (found.length > 0) byField.set(field, found);
    return found;
  }

  #ofType(type: string): ObjectsOfType {
    const known = this.#byType.get(type);
    if (known) return known;
    const objects = serviceObjects(this.types, this.types.services, type);
    const byService = new Map<string, ServiceObject[]>();
    for (const object of objects) {
      const own = byService.get(object.service);
      if (own) own.push(object);
      else byService.set(object.service, [object]);
    }
    const made: ObjectsOfType = { objects, byService, byField: new Map() };
    if (objects.length > 0) this.#byType.set(type, made);
    return made;
  }
}

interface ObjectsOfType {
  /** The objects in the order of the supergraph's services. */
  readonly objects: readonly ServiceObject[];
  readonly byService: ReadonlyMap<string, readonly ServiceObject[]>;
  /** The indices of the objects that have a field, by the field's name. */
  readonly byField: Map<string, readonly number[]>;
}
