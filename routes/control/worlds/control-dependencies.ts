import { least } from '../../../state/kernel/lists.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { StoreSnapshot } from '../../../state/kernel/store/open-table.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import type { FaultInjector } from '../../faults/fault-injector.ts'
import type { Journals } from '../../journal/journal.ts'
import type { RequestNames } from '../../journal/request-names.ts'
import type { DocumentedStatuses } from '../../report/documented-statuses.ts'
import type { LeftBehind } from '../../report/report.ts'
import type { TracedRunInput } from '../trace/trace-shapes.ts'
import type { Ports } from './addresses.ts'
import type { ClientVariables } from './environment.ts'
import type { WorldListeners } from './listeners.ts'

/** A description of the process. The ports are known once the listeners are open. */
export interface ProcessDescription {
  readonly name: string
  readonly version: string
  readonly dialect: string
  readonly ports: Ports
}

/** A source of traces (behaviour/program#traces). */
interface TracePages {
  /**
   * Returns a trace as an HTML page.
   * @param run circumstances of the run that only the caller knows
   * @param worlds ids of the worlds to include; if left out, all worlds with requests or marks
   */
  page(
    run: TracedRunInput & { readonly startedAt?: string },
    worlds?: readonly string[],
  ): Promise<string>
}

/** The dependencies that the controls of all worlds share. */
export interface ControlDependencies {
  readonly worlds: Worlds
  /** Injector of faults into the requests of the worlds. */
  readonly faults: FaultInjector
  /** Journals of the worlds' requests. */
  readonly journals: Journals
  /** The names that matchers may use; if left out, every name is accepted. */
  readonly requestNames?: RequestNames | undefined
  readonly describe: () => ProcessDescription
  /**
   * Function that returns the documented statuses of an operation. Without it, no statuses are
   * known.
   */
  readonly documented?: DocumentedStatuses | undefined
  /**
   * Function that returns the credentials that clients left behind since a snapshot. Without this
   * function, reports list no credentials.
   */
  readonly findLeftBehind?: ((world: World, since: StoreSnapshot) => LeftBehind) | undefined
  /** The listeners of individual worlds; if left out, worlds cannot have listeners. */
  readonly listeners?: WorldListeners | undefined
  /** Environment variables that the clients of each API read, by API. */
  readonly variables?: ReadonlyMap<string, ClientVariables> | undefined
  /** File of the certificate authority for TLS. */
  readonly caFile?: string | undefined
  /** Function that returns the source of traces; if left out, there are no traces. */
  readonly traces?: (() => TracePages) | undefined
}

/**
 * Returns a trace as an HTML page: of the given worlds, or of all worlds with requests or marks if
 * `worlds` is left out. For a test, the run begins at the creation of the test's oldest world.
 * @throws {Refusal} `unavailable` if this process has no traces; `absent` if a world of a test does
 *   not exist
 */
export async function tracePageOf(
  { traces, worlds: all }: ControlDependencies,
  worlds?: readonly string[],
  run: TracedRunInput = {},
): Promise<string> {
  if (traces === undefined) throw new Refusal('unavailable', 'there are no traces here')
  if (run.test === undefined || worlds === undefined) return traces().page(run, worlds)
  const startedAt = formatTimestamp(least(worlds.map((id) => all.get(id).createdAt)))
  return traces().page({ ...run, startedAt }, worlds)
}
