import type { Row } from '../../state/kernel/store/table.ts'
import type { ClockView, Due, DueList } from '../control/clock/clock-shapes.ts'
import type { TransitionView } from '../control/clock/transition-control.ts'
import type { Explanation } from '../explain/explanation.ts'
import type { Fault } from '../faults/declare/fault-shapes.ts'
import type { AppliedFault } from '../http/journal-hooks/request-record.ts'
import type { Entry } from '../journal/entry.ts'
import type { OpenRequest } from '../journal/journal-queries.ts'
import type { NearMiss } from '../journal/near-misses.ts'

/** Version of the trace format. Readers accept this version and older versions. */
export const traceFormat = 1

/**
 * Data of a run. Secrets are hidden unless `keepsValues` is true (behaviour/program#traces).
 * Milliseconds are real time since the start of the run; instants are in RFC 3339.
 */
export interface Trace {
  readonly format: number
  /** Version of the program. */
  readonly version: string
  readonly run: TracedRun
  /**
   * Worlds with requests or marks, or only the requested worlds, in the order of their creation.
   * Deleted worlds are included.
   */
  readonly worlds: readonly TracedWorld[]
  /** Requests that reached no world, in order. */
  readonly unattributed: readonly UnattributedRequest[]
  /** Calls of the control plane that changed something, in order. */
  readonly controlCalls: readonly TracedControlCall[]
}

/** Circumstances of a run. */
export interface TracedRun {
  /** Real time at which the run began. */
  readonly startedAt: string
  /** Real time at which the trace was written. */
  readonly writtenAt: string
  /**
   * Command with its arguments. Empty if no command is known, for example because the trace was
   * requested from a server.
   */
  readonly command: readonly string[]
  /** Exit code of the command; null if there was no command or it has not ended. */
  readonly exitCode: number | null
  /** Flags of the program, as given. */
  readonly flags: readonly string[]
  /** Names of the fixtures. */
  readonly fixtures: readonly string[]
  readonly dialect: string
  /** Addresses for clients, by the names of their environment variables. */
  readonly addresses: Readonly<Record<string, string>>
  readonly test?: TracedTest
  /** True if secrets were kept because of `--trace-values`. */
  readonly keepsValues: boolean
}

/** Test whose run a trace shows. */
interface TracedTest {
  readonly file: string
  readonly title: string
  readonly result: 'passed' | 'failed'
  /** Error that ended the test: its text, and the place where it was thrown. */
  readonly error?: { readonly text: string; readonly at?: string }
}

/** Request that reached no world. */
export interface UnattributedRequest {
  readonly ms: number
  /** Kind of the failure, in kebab case, such as `tls-error`, `parse-error` or `unknown-world`. */
  readonly kind: string
  /** Description of the failure, in one sentence. */
  readonly detail: string
  readonly method?: string
  readonly path?: string
}

export interface TracedControlCall {
  readonly ms: number
  readonly method: string
  readonly path: string
  readonly status: number
}

/** Origin of a world: the world or snapshot that it was made from. */
interface WorldOrigin {
  readonly id: string
}

/** One world of a run. */
export interface TracedWorld {
  readonly id: string
  /**
   * Creation time in milliseconds since the run began; negative if the world is older than the run.
   */
  readonly madeAt: number
  /** The world or snapshot from which this world was made; missing if there is none. */
  readonly from?: WorldOrigin
  /** True if the world was deleted before the trace was written. */
  readonly deleted: boolean
  /** Services by name, each with the address of its listener. */
  readonly services: Readonly<Record<string, { readonly url: string }>>
  readonly options: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** State before the first step. */
  readonly start: TracedState
  /** Events of the world, such as requests and changes of rows, in order. */
  readonly steps: readonly TraceStep[]
  /** Requests without an answer. */
  readonly open: readonly OpenRequest[]
  /**
   * Clock at the end of the run. The members `due`, `machines` and `faults` show the end of the run
   * as well.
   */
  readonly clock: ClockView
  readonly due: DueList
  readonly machines: readonly TransitionView[]
  readonly faults: readonly Fault[]
  /** The world's report in Markdown. */
  readonly report: string
  /** Number of requests that were left out because the trace reached its size limit. */
  readonly missing: number
}

/** Rows of a world by table (`service.table`) and key. */
export type TracedState = Readonly<Record<string, Readonly<Record<string, Row>>>>

export type TraceStep =
  | RequestStep
  | ChangesStep
  | ReplacedStep
  | ClockStep
  | SnapshotStep
  | MarkStep

interface StepTime {
  /** Milliseconds since the run began. */
  readonly ms: number
  /** Time on the world's clock. */
  readonly at: string
}

/** Request that was answered or aborted. Changes by the request are separate, earlier steps. */
export interface RequestStep extends StepTime {
  readonly kind: 'request'
  readonly entry: Entry
  /** Number of full resets before the request. Ids of requests restart with each reset. */
  readonly round: number
  readonly faults: readonly AppliedFault[]
  /** Faults that would have applied to the request if one property had been different. */
  readonly nearMisses: readonly FaultNearMiss[]
  /** Explanation of the refusal; missing for a request that was served. */
  readonly explanation?: Explanation
}

/** Fault that would have applied to a request if one property of the request had been different. */
export interface FaultNearMiss extends NearMiss {
  readonly fault: string
}

export interface ChangesStep extends StepTime {
  readonly kind: 'changes'
  /**
   * Name of the request that wrote the rows. Missing if no request wrote them or if the request was
   * left out.
   */
  readonly request?: string
  readonly changes: readonly TracedChange[]
}

/** The versions of a row before and after a change. */
export interface TracedChange {
  /** Id of the table: `service.table`. */
  readonly table: string
  readonly key: string
  readonly before?: Row
  readonly after?: Row
}

/** Replacement of the whole state. */
interface ReplacedStep extends StepTime {
  readonly kind: 'replaced'
  readonly cause: 'reset' | 'restored'
  readonly state: TracedState
}

/** Event of the clock: a move, a change of its mode, or due jobs that ran. */
interface ClockStep extends StepTime {
  readonly kind: 'clock'
  readonly mode: string
  readonly fired: readonly Due[]
}

/** A snapshot that was taken of the world. */
interface SnapshotStep extends StepTime {
  readonly kind: 'snapshot'
  readonly id: string
}

/** A line of text that a test or a caller added to the trace. */
interface MarkStep extends StepTime {
  readonly kind: 'mark'
  readonly text: string
}
