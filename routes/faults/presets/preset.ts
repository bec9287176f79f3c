import { memoize } from '../../../state/kernel/memoize.ts'
import { fillDefaults } from '../../../state/kernel/shape/fill-defaults.ts'
import { intOf, type StructShape } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { InputOf, StoredOf } from '../../../state/kernel/shape/values.ts'
import type { PresetChanges } from '../../../state/kernel/worlds/fault-tables.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Match, matchShape } from '../../journal/match-shapes.ts'
import type { Effect } from '../effect.ts'
import { type NewFault, type When, whenShape } from '../fault-shapes.ts'

/** A fault of a preset; `match`, `when` and `times` hold where the caller says none. */
export type PresetFault = Pick<NewFault, 'match' | 'when' | 'times' | 'phase' | 'action'>

/** The things that a preset comes to: faults, or changes that make the failure really occur. */
export interface PresetPlan extends PresetChanges {
  readonly faults?: readonly PresetFault[]
  /** Reads that wait are answered, as after a restore. */
  readonly wakesReaders?: true
}

/** The members that the body of each preset may have beside its parameters. */
export const commonMembers = {
  match: optional(described(matchShape, 'The requests concerned')),
  when: optional(whenShape),
  times: optional(described(intOf({ minimum: 1 }), 'It is applied so often at most')),
}

/** The members that all bodies have. */
export interface PresetBody {
  readonly match?: Match | undefined
  readonly when?: When | undefined
  readonly times?: number | undefined
}

/** A failure that the real product has, under a name (behaviour/program#presets). */
export interface Preset {
  readonly name: string
  readonly summary: string
  /** The API that fails; `any` for all of them. */
  readonly service: string
  readonly parameters: StructShape
  /** Where the failure is specified. */
  readonly source: string
  readonly effect?: Effect | undefined
  /** The shape of a body: the parameters and what all presets take. */
  readonly body: StructShape
  /**
   * Returns what it comes to in a world.
   *
   * @param given parameters that fit their shape
   */
  apply(world: World, given: object): PresetPlan
  /** The parameters with their defaults filled in. */
  complete(given: object): object
}

interface PresetDeclaration<S extends StructShape>
  extends Omit<Preset, 'parameters' | 'body' | 'apply' | 'complete'> {
  readonly parameters: S
  apply(call: { readonly world: World; readonly parameters: StoredOf<S> }): PresetPlan
}

/** Declares a preset; every parameter has a default. */
export function definePreset<const S extends StructShape>(
  declaration: PresetDeclaration<S>,
): Preset {
  const { parameters, apply } = declaration
  // Whoever calls has checked them.
  const complete = (given: object) => fillDefaults(given as InputOf<S>, parameters)
  const body = memoize(() => struct({ ...parameters.fields, ...commonMembers }))
  return {
    ...declaration,
    get body() {
      return body()
    },
    apply: (world, given) => apply({ world, parameters: complete(given) }),
    complete: (given) => complete(given) as object,
  }
}

/** No parameters at all. */
export const noParameters = struct({})

/** A parameter that says how many requests are hit before all is well again. */
export function answers(
  defaultCount: number,
  what = 'So many requests are hit, then they are served',
) {
  return withDefault(described(intOf({ minimum: 1 }), what), defaultCount)
}
