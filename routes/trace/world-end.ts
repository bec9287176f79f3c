import { monotonicTime } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import { WorldControl } from '../control/worlds/world-control.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'
import type { TracedWorld } from './trace.ts'

/**
 * State of a world at the end of a run, without the rows of its tables. Secrets are not redacted
 * yet.
 */
export interface WorldEnd
  extends Pick<TracedWorld, 'services' | 'clock' | 'due' | 'machines' | 'faults'> {
  readonly options: Readonly<Record<string, object>>
  readonly open: readonly OpenRecord[]
  /**
   * Builds the Markdown report of the world. Yields between parts, so that the caller can pause.
   */
  readonly report: (fingerprint: Fingerprint) => Generator<void, string, undefined>
}

/** Unanswered request, with its age in real time and in world time. */
interface OpenRecord {
  readonly record: RequestRecord
  readonly ageMs: number
  readonly worldAgeMs: number
}

/**
 * Reads the present state of a world in one turn of the event loop, so that all data belong to one
 * moment.
 *
 * @param origin scheme and host of the service URLs in the result
 */
export function readWorldEnd(
  world: World,
  control: ControlDependencies,
  origin = 'http://localhost',
): WorldEnd {
  const worldControl = new WorldControl(control, world)
  return {
    services: Object.fromEntries(
      Object.entries(worldControl.info(origin).services).map(([name, { url }]) => [name, { url }]),
    ),
    options: worldControl.options(),
    open: [...control.journals.of(world).openRecords()].map((record) => ({
      record,
      ageMs: Math.round(monotonicTime() - record.startedAt),
      worldAgeMs: world.clock.now() - record.at,
    })),
    clock: worldControl.clock.view(),
    due: worldControl.clock.due(),
    machines: worldControl.transitions.list(),
    faults: worldControl.faults.list(),
    report: worldControl.captureMarkdownReport(),
  }
}
