import type { OptionsDefinition } from '../options/options.ts'
import type { InParts } from '../parts.ts'
import type { JsonSchema } from '../schema.ts'
import type { Rule } from '../store/rules.ts'
import type { TableDefinition } from '../store/table.ts'
import type { ScheduledJob } from '../time/agenda.ts'
import type { TransitionKindOf } from '../time/transitions.ts'
import type { LoadPart } from './document-loading.ts'

/**
 * A function that carries out a scheduled job, inside its own transaction. The transaction of work
 * in parts pauses between the parts (behaviour/program#bounds); the function is called again if
 * something else was committed during a pause.
 */
export type JobHandlerOf<W> = (world: W, scheduledJob: ScheduledJob) => InParts<void> | void

/** A service account of the world's container orchestrator. */
export interface ServiceAccount {
  /** A namespace of the orchestrator. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * Everything that one API adds to every world. The kernel knows no API: a world is built from a
 * list of these definitions, and so are exports, the control plane and the documentation. A world
 * and its services refer to each other. To avoid an import cycle, the world is a type parameter
 * here, and service.ts sets it to `World`.
 */
export interface ServiceDefinitionOf<W> {
  /** `secrets`, `platform`, `mesh` or `scheduler`. */
  readonly name: string
  readonly tables: readonly TableDefinition[]
  /**
   * Tables of earlier versions whose content is derived now: an import accepts and ignores them.
   */
  readonly retiredTables?: readonly string[]
  readonly options: OptionsDefinition<object>
  /**
   * Short forms that fixtures may use in addition to `tables`, each an entry of an object schema's
   * `properties`.
   */
  readonly fixtures: Readonly<Record<string, JsonSchema>>
  /** Handlers of scheduled jobs by name; names start with the service's. */
  readonly jobs: Readonly<Record<string, JobHandlerOf<W>>>
  readonly transitions: readonly TransitionKindOf<W>[]
  /** Rules that are applied before each commit, in this order. */
  readonly rules?: readonly Rule<W>[]
  /** Fills a fresh world with the start state of behaviour/program#fresh-world. */
  seed(world: W): void
  /**
   * Loads the short forms of a valid fixtures document, with pauses if there may be many entries.
   *
   * @param part loads a part that can be refused on its own; by default loading stops at the first
   * refusal
   */
  load(world: W, document: Readonly<Record<string, unknown>>, part?: LoadPart): InParts<void> | void
  /**
   * Reschedules jobs inside the transaction in which options or timings changed, because scheduled
   * jobs may be due at another time now.
   */
  reschedule?(world: W): void
  /**
   * Returns the account to which the world's orchestrator issued a JWT; undefined if the JWT is not
   * valid. Only the service that holds the orchestrator's keys has this member, for use by the
   * others.
   */
  reviewServiceAccount?(world: W, jwt: string): ServiceAccount | undefined
  /** Returns the service's part of `/_mock/info`, without its address. */
  info(world: W): object
}
