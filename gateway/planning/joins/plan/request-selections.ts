import { type DirectiveNode, type FieldNode, Kind, type SelectionNode } from 'graphql';
import { fragmentNode, nameNode, TYPENAME_FIELD } from '../../../graphql/syntax/index.ts';
import type { SupergraphTypes } from '../../supergraph/index.ts';
import type { PlacePlan, PlannedField, Visit, VisitPart } from './place-plan.ts';
import type { WantedField } from './selections.ts';
import type { Steps } from './steps.ts';

/** The number of steps for writing a node and comparing it with others of the same response key. */
const STEPS_OF_NODE = 1;

/** Writes the selections of fetches. The selections at a place are written once for all fetches that contain them. */
export class RequestSelections {
  readonly #types: SupergraphTypes;
  readonly #steps: Steps;
  readonly #atPlaces = new Map<PlacePlan, readonly SelectionNode[]>();
  /**
   * The number of nodes in a selection's text, including all nodes below it. A selection that is written once may be
   * printed often.
   */
  readonly #sizes = new Map<SelectionNode, number>();

  constructor(types: SupergraphTypes, steps: Steps) {
    this.#types = types;
    this.#steps = steps;
  }

  /** The selections of a fetch of root fields or of the fields of a root object. */
  ofRoot({ service, parts }: Visit): readonly SelectionNode[] {
    return this.#counted(
      this.#fieldsOf(
        parts.flatMap(({ fields }) => fields),
        service,
      ),
    );
  }

  /** The selections on a root field that returns objects of one type. */
  ofObjects({ object, lookup, fields }: VisitPart): readonly SelectionNode[] {
    const own = this.#fieldsOf(fields, object.service);
    return this.#counted(lookup?.rootField?.isAbstract ? [fragmentNode(object.as, own)] : own);
  }

  /** The selections on the value of a field that is fetched separately. Empty for a scalar or an enum. */
  ofValue({ below }: PlannedField): readonly SelectionNode[] {
    return below ? this.#counted(this.#atPlace(below)) : [];
  }

  /** The selections of a fetch of entities. */
  ofEntities({ service, parts }: Visit): readonly SelectionNode[] {
    const byName = new Map<string, PlannedField[]>();
    let isUntyped = false;
    for (const { object, lookup, fields, type } of parts) {
      byName.set(object.as, [...(byName.get(object.as) ?? []), ...fields]);
      isUntyped ||= lookup?.typename !== object.as && object.as === type;
    }
    const selections = [...byName].map(([name, fields]) => fragmentNode(name, this.#fieldsOf(fields, service)));
    return this.#counted(isUntyped ? [TYPENAME_FIELD, ...selections] : selections);
  }

  /** Printing takes time in proportion to the text. */
  #counted(selections: readonly SelectionNode[]): readonly SelectionNode[] {
    this.#steps.take(this.sizeOf(selections) * STEPS_OF_NODE);
    return selections;
  }

  /** The number of nodes in the text of selections. */
  sizeOf(selections: readonly SelectionNode[]): number {
    let size = 0;
    for (const selection of selections) {
      const below = 'selectionSet' in selection ? (selection.selectionSet?.selections ?? []) : [];
      const known = this.#sizes.get(selection) ?? 1 + this.sizeOf(below);
      this.#sizes.set(selection, known);
      size += known;
    }
    return size;
  }

  /** The selections of the place's own fetch. */
  #atPlace(plan: PlacePlan): readonly SelectionNode[] {
    const known = this.#atPlaces.get(plan);
    if (known) return known;
    const made = this.#selectionsAt(plan);
    this.#atPlaces.set(plan, made);
    return made;
  }

  #selectionsAt({ place, visits, seen }: PlacePlan): readonly SelectionNode[] {
    const [entry] = visits;
    if (!place || !entry) return [TYPENAME_FIELD];
    const model = this.#types.type(place.typeName);
    const here = model?.in(place.service);
    const selections: SelectionNode[] = place.needsTypename ? [TYPENAME_FIELD] : [];
    if (model?.kind === 'object' || here?.isInterfaceObject)
      selections.push(
        ...this.#fieldsOf(
          entry.parts.flatMap(({ fields }) => fields),
          place.service,
        ),
      );
    else {
      // An object's field may have a narrower type than the interface's field. Its selections then apply to that type.
      const isOfInterface = ({ field, below }: PlannedField) => {
        const own = here?.field(field.name);
        return own !== undefined && (below?.place === undefined || below.place.typeName === own.typeName);
      };
      const common = (field: PlannedField) =>
        entry.parts.length === seen &&
        isOfInterface(field) &&
        entry.parts.every(({ fields }) => fields.some((one) => isSame(one, field)));
      const [first] = entry.parts;
      const shared = first?.fields.filter(common) ?? [];
      selections.push(...this.#fieldsOf(shared, place.service));
      for (const { object, fields } of entry.parts) {
        const own = fields.filter((field) => !shared.some((one) => isSame(one, field)));
        if (own.length > 0) selections.push(fragmentNode(object.as, this.#fieldsOf(own, place.service)));
      }
    }
    return selections.length > 0 ? selections : [TYPENAME_FIELD];
  }

  /** Writes fields with the same key as one field, with all selections below them. */
  #fieldsOf(fields: readonly PlannedField[], service: string): readonly SelectionNode[] {
    const byKey = new Map<string, PlannedField[]>();
    for (const field of fields) {
      const known = byKey.get(field.field.key);
      if (!known) byKey.set(field.field.key, [field]);
      else if (!known.some((one) => isSame(one, field))) known.push(field);
    }
    return [...byKey.values()].flatMap((same) => {
      const [first] = same;
      if (!first) return [];
      const below = same.flatMap(({ below: plan }) => (plan ? this.#atPlace(plan) : []));
      const { directives } = first.field;
      const known = directives.filter(({ name }) => this.#types.knowsDirective(service, name.value));
      return fieldNode(first.field, [...new Set(below)], known);
    });
  }
}

function isSame(one: PlannedField, other: PlannedField): boolean {
  return one.field.key === other.field.key && one.field.call === other.field.call && one.below === other.below;
}

function fieldNode(
  { key, name, arguments: given }: WantedField,
  below: readonly SelectionNode[],
  directives: readonly DirectiveNode[],
): FieldNode {
  return {
    kind: Kind.FIELD,
    ...(key !== name && { alias: nameNode(key) }),
    name: nameNode(name),
    ...(given.length > 0 && { arguments: given }),
    ...(directives.length > 0 && { directives }),
    ...(below.length > 0 && { selectionSet: { kind: Kind.SELECTION_SET, selections: below } }),
  };
}
