import type { OptionsDefinition } from '../options/options.ts'
import type { JsonSchema } from '../schema.ts'
import type { Rule } from '../store/rules.ts'
import type { TableDefinition } from '../store/table.ts'
import type { ScheduledJob } from '../time/agenda.ts'
import type { TransitionKindOf } from '../time/transitions.ts'
import type { LoadPart } from './document-loading.ts'

/** Does what an appointment asks for, inside a transaction of its own. */
export type JobHandlerOf<W> = (world: W, scheduledJob: ScheduledJob) => void

/**
 * What one API brings to every world. The kernel knows no API: a world is built from a list of
 * these, and so are exports, the control plane and the documentation. A world and its services name
 * each other; here the world is a parameter, so that its file can stand above this one and
 * service.ts, which fills it in, above both.
 */
export interface ServiceDefinitionOf<W> {
  /** `secrets`, `platform`, `mesh` or `scheduler`. */
  readonly name: string
  readonly tables: readonly TableDefinition[]
  /**
   * Names of tables that exports of earlier versions hold and that are no more, because what they
   * held is derived now: an import accepts and ignores them.
   */
  readonly retiredTables?: readonly string[]
  readonly options: OptionsDefinition<object>
  /**
   * Short forms that fixtures may use beside `tables`, each an entry of an object schema's
   * `properties`.
   */
  readonly fixtures: Readonly<Record<string, JsonSchema>>
  /** Jobs of the agenda by name; names start with the service's. */
  readonly jobs: Readonly<Record<string, JobHandlerOf<W>>>
  readonly transitions: readonly TransitionKindOf<W>[]
  /** The rules that hold after each commit, in the order in which it is made to. */
  readonly rules?: readonly Rule<W>[]
  /** Fills a fresh world with the start state of behaviour/program#fresh-world. */
  seed(world: W): void
  /**
   * Adds what the short forms of a fixtures document say; the document is valid.
   *
   * @param part loads what can be refused by itself; default: until something is
   */
  load(world: W, document: Readonly<Record<string, unknown>>, part?: LoadPart): void
  /**
   * Called inside the transaction in which options or paces changed: what waits or is appointed may
   * have to move otherwise now.
   */
  reschedule?(world: W): void
  /** The service's part of `/_mock/info`, without its address. */
  info(world: W): object
}
