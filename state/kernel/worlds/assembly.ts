import { Rules } from '../store/rules.ts'
import type { JobHandlers } from '../time/timekeeper.ts'
import type { TransitionKindOf } from '../time/transitions.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'

/** Services prepared for use. All worlds share this data, because it never changes. */
export interface Assembly<W> {
  readonly services: readonly ServiceDefinitionOf<W>[]
  /** Handlers of scheduled jobs, by job name. */
  readonly jobs: JobHandlers<W>
  /** Kinds of transitions, by `kind`. */
  readonly transitions: ReadonlyMap<string, TransitionKindOf<W>>
  readonly rules: Rules<W>
}

/**
 * Prepares services for use. Many worlds share the result, which keeps each world small.
 *
 * @throws {Error} if two tables have the same id
 */
export function assemble<W>(services: readonly ServiceDefinitionOf<W>[]): Assembly<W> {
  const ids = services.flatMap(({ tables }) => tables.map(({ id }) => id))
  const duplicate = ids.find((id, at) => ids.indexOf(id) !== at)
  if (duplicate !== undefined) throw new Error(`table ${duplicate} is defined twice`)
  return {
    services,
    jobs: new Map(services.flatMap(({ jobs }) => Object.entries(jobs))),
    transitions: new Map(
      services.flatMap(({ transitions }) => transitions.map((kind) => [kind.kind, kind])),
    ),
    rules: new Rules<W>(services),
  }
}
