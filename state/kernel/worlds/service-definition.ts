import type { OptionsDefinition } from '../options/options.ts'
import type { InParts } from '../parts.ts'
import type { JsonSchema } from '../schema.ts'
import type { Rule } from '../store/rules.ts'
import type { TableDefinition } from '../store/table.ts'
import type { ScheduledJob } from '../time/agenda.ts'
import type { TransitionKindOf } from '../time/transitions.ts'
import type { LoadPart } from './document-loading.ts'

/**
 * Function that carries out a scheduled job, inside a transaction of its own. For work in parts,
 * the function returns a generator, and the transaction pauses with the generator
 * (behaviour/program#bounds). If anything else was committed during a pause, the function is called
 * again.
 */
export type JobHandlerOf<W> = (world: W, scheduledJob: ScheduledJob) => InParts<void> | void

/** A service account of the container orchestrator that a world simulates. */
export interface ServiceAccount {
  /** A namespace of the orchestrator. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * Everything that one API adds to every world. The kernel knows no API: worlds, exports, the
 * control plane and the documentation are built from a list of these definitions. A world and its
 * services refer to each other; to avoid an import cycle, the world is a type parameter here, and
 * service.ts sets it to `World`.
 */
export interface ServiceDefinitionOf<W> {
  /** Name of the service, such as `secrets`, under which documents contain the service's part. */
  readonly name: string
  readonly tables: readonly TableDefinition[]
  /**
   * Names of tables that occur in documents of earlier versions. The content of these tables is
   * derived from other rows, so an import accepts and ignores the tables.
   */
  readonly retiredTables?: readonly string[]
  readonly options: OptionsDefinition<object>
  /**
   * Schemas of the short forms that fixtures may use in addition to `tables`, as `properties` of an
   * object schema.
   */
  readonly fixtures: Readonly<Record<string, JsonSchema>>
  /** Handlers of scheduled jobs by job name. Job names start with the service's name. */
  readonly jobs: Readonly<Record<string, JobHandlerOf<W>>>
  readonly transitions: readonly TransitionKindOf<W>[]
  /** Rules that are applied before each commit, in this order. */
  readonly rules?: readonly Rule<W>[]
  /** Writes the service's start state into a fresh world. */
  seed(world: W): void
  /**
   * Loads the short forms of a validated document. Returns a generator that pauses if there may be
   * many entries.
   *
   * @param part loads a part that can be refused on its own; by default loading stops at the first
   *   refusal
   */
  load(world: W, document: Readonly<Record<string, unknown>>, part?: LoadPart): InParts<void> | void
  /**
   * Reschedules jobs inside the transaction that changes options or timings, because the due times
   * of jobs may depend on these values. Also called by a reset.
   */
  reschedule?(world: W): void
  /**
   * Returns the account to which the world's orchestrator issued a JWT; undefined if the JWT is not
   * valid. Only the service that holds the orchestrator's keys has this member; the other services
   * call it.
   */
  reviewServiceAccount?(world: W, jwt: string): ServiceAccount | undefined
  /** Returns the service's part of the reply to `/_mock/info`, except the URL of the service. */
  info(world: W): object
}
