import type { FastifyRequest } from 'fastify'
import { memoize } from '../../../state/kernel/memoize.ts'
import { fillDefaults } from '../../../state/kernel/shape/fill-defaults.ts'
import { intOf, type StructShape } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { InputOf, StoredOf } from '../../../state/kernel/shape/values.ts'
import type { PresetChanges } from '../../../state/kernel/worlds/fault-tables.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { type Match, matchShape } from '../../journal/match-shapes.ts'
import { type Action, type NewFault, type When, whenShape } from './fault-shapes.ts'

/**
 * A fault of a preset. `when` and `times` apply only if the caller leaves them out. The caller's
 * `match` replaces only the properties that it contains.
 */
export type PresetFault = Pick<NewFault, 'match' | 'when' | 'times' | 'phase' | 'action'>

/**
 * Plan of a preset: faults that imitate a failure, changes of options and states that cause the
 * failure, or both.
 */
export interface PresetPlan extends PresetChanges {
  readonly faults?: readonly PresetFault[]
  /** True if applying the preset wakes all blocking reads, as a restore does. */
  readonly wakesReaders?: true
}

/** Optional members that every preset's body has in addition to its parameters. */
export const commonMembers = {
  match: optional(described(matchShape, 'Requests to affect')),
  when: optional(whenShape),
  times: optional(described(intOf({ minimum: 1 }), 'Maximum number of applications')),
}

/** Members that the body of every preset may have in addition to its parameters. */
export interface PresetBody {
  readonly match?: Match | undefined
  readonly when?: When | undefined
  readonly times?: number | undefined
}

/**
 * Parameters of a preset that was applied. A parameter that the caller left out has its default.
 */
export type PresetParameters = Readonly<Record<string, unknown>>

/** Effects of a preset's faults in addition to their action. Each effect is optional. */
export interface PresetEffect {
  /** Returns true if the fault concerns a matching request. Only such requests are counted. */
  appliesTo?(record: RequestRecord): boolean
  /** Returns the group of a request. Matching requests are counted separately for each group. */
  group?(record: RequestRecord): string
  /** Changes a request before the API handles it. The fault itself is applied later. */
  prepare?(request: FastifyRequest): void
  /** Changes the world when the fault is applied, outside of the request's transaction. */
  changeWorld?(record: RequestRecord): void
  /** Completes the action with values from the request and, after the commit, from the answer. */
  complete?(action: Action, record: RequestRecord, parameters: PresetParameters): Action
}

/** A named failure of the real product (behaviour/program#presets). */
export interface Preset {
  readonly name: string
  /** One sentence in Markdown with inline code. */
  readonly summary: string
  /** The summary in the vendor dialect, if the dialects name something in it differently. */
  readonly vendorSummary?: string
  /** API that fails; `any` for all APIs. */
  readonly service: string
  readonly parameters: StructShape
  /** Citation of the rule that specifies the failure, or `extension`. */
  readonly source: string
  readonly effect?: PresetEffect | undefined
  /**
   * Kind of transition that only presets can force; undefined if this preset needs no such kind.
   */
  readonly forces?: TransitionKind | undefined
  /** Shape of the body: the parameters and the common members. */
  readonly body: StructShape
  /**
   * Returns the plan of the preset in a world.
   *
   * @param parametersInput parameters that match their shape
   */
  apply(world: World, parametersInput: object): PresetPlan
  /** Returns all parameters. A parameter that `parametersInput` lacks has its default. */
  complete(parametersInput: object): object
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
  // The caller has already validated the parameters.
  const complete = (parametersInput: object) =>
    fillDefaults(parametersInput as InputOf<S>, parameters)
  const body = memoize(() => struct({ ...parameters.fields, ...commonMembers }))
  return {
    ...declaration,
    get body() {
      return body()
    },
    apply: (world, parametersInput) => apply({ world, parameters: complete(parametersInput) }),
    complete: (parametersInput) => complete(parametersInput) as object,
  }
}

export const noParameters = struct({})

/** Declares the parameter for the number of requests that fail before the service recovers. */
export function answers(
  defaultCount: number,
  what = 'Number of requests that are affected; later requests are served',
) {
  return withDefault(described(intOf({ minimum: 1 }), what), defaultCount)
}
