import { formatTimestamp, wallClock } from '../../state/kernel/time.ts'
import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import type { TraceCollector } from './collector.ts'
import { type Trace, type TracedRun, traceFormat } from './trace.ts'

/** Parts of a process that a trace is made from. */
export interface TraceParts extends ControlDependencies {
  /** Collector of the run; if it was not started, the trace shows what the journals still have. */
  readonly collector: TraceCollector
}

/**
 * Returns the trace of a run. Other requests are served meanwhile.
 *
 * @param run circumstances of the run that the caller knows
 * @param worlds ids of the worlds to include; all if left out
 */
export async function buildTrace(
  parts: TraceParts,
  run: Partial<TracedRun>,
  _worlds?: readonly string[],
): Promise<Trace> {
  const { version, dialect } = parts.describe()
  const now = formatTimestamp(wallClock())
  return {
    format: traceFormat,
    version,
    run: {
      startedAt: now,
      command: [],
      exitCode: null,
      flags: [],
      fixtures: [],
      addresses: {},
      keepsValues: false,
      dialect,
      ...run,
      writtenAt: now,
    },
    worlds: [],
    unattributed: [],
    controlCalls: [],
  }
}
