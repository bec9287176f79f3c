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
  /** Builds the report as Markdown, in parts. */
  readonly report: (fingerprint: Fingerprint) => Generator<void, string, undefined>
}

/** Request without an answer. */
interface OpenRecord {
  readonly record: RequestRecord
  readonly ageMs: number
  readonly worldAgeMs: number
}

/**
 * Reads the state of a world now, in one turn, so that all of it belongs to one moment.
 *
 * @param origin scheme and host of the addresses
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
