import type { ClockRequest, ClockView, DueList } from '../../routes/control/clock/clock-shapes.ts'
import type { TransitionView } from '../../routes/control/clock/transition-control.ts'
import type { SnapshotView } from '../../routes/control/state/state-shapes.ts'
import type { WorldOverview } from '../../routes/control/worlds/world-shapes.ts'
import type { Explanation } from '../../routes/explain/explanation.ts'
import type { Fault } from '../../routes/faults/declare/fault-shapes.ts'
import type { Entry } from '../../routes/journal/entry.ts'
import type { OpenRequest } from '../../routes/journal/journal-queries.ts'
import type { TracedControlCall, UnattributedRequest } from '../../routes/trace/trace.ts'
import type { JobDiff } from '../../state/scheduler/diff/shapes.ts'
import type { ChangedRow } from '../parts/row-change.tsx'
import type { Sendable } from '../pure/curl.ts'
import type { ServiceState } from '../pure/items.ts'
import type { FormSchema } from '../pure/schema-form.ts'
import type { ServerEvent } from '../pure/server-events.ts'

/**
 * Ability of a source in addition to reading:
 *
 * - `send`: requests reach the APIs.
 * - `change`: the control plane changes worlds.
 * - `connect`: clients can connect, and the source knows their variables.
 * - `follow`: worlds change while the page is open.
 * - `compute`: the server derives data from rows, such as the diffs of a job's versions.
 * - `save`: the server writes traces.
 */
export type Ability = 'send' | 'change' | 'connect' | 'follow' | 'compute' | 'save'

/**
 * Access to the data that the page shows, which comes from a live server or from the trace of a
 * run. Screens call `can` to learn what a source supports, and do not check which kind it is.
 */
export interface Source {
  /**
   * Returns whether the source supports an ability. Methods that need a missing ability throw or
   * return an empty value.
   */
  can(ability: Ability): boolean
  /**
   * Returns the id of the world that is shown when the address names none; empty if there are no
   * worlds.
   */
  defaultWorld(): Promise<string>
  /** Returns all worlds, oldest first. */
  worlds(): Promise<readonly WorldOverview[]>
  /**
   * Returns access to one world: the same object for every call with the same id. Throws if a trace
   * does not have the world.
   */
  world(id: string): WorldSource
  /** Returns the schema of a form for all options, by service; undefined if the source has none. */
  optionsForm(): Promise<FormSchema | undefined>
  /**
   * Inserts the proxy's path prefix, if there is one, after every occurrence of the page's origin
   * in a text.
   */
  rebaseUrls(text: string): string
  /** Description of a run that is over; undefined for a live server. */
  readonly run: RunDescription | undefined
  /**
   * Returns a trace as an HTML page; needs `save`.
   *
   * @param world id of the world to show; all worlds if left out
   */
  trace(world?: string): Promise<string>
  /** Creates a world; needs `change`. Returns its id. */
  createWorld(settings: NewWorld): Promise<string>
  /** Deletes a world; needs `change`. */
  deleteWorld(id: string): Promise<void>
}

/** Settings of a new world; `from` names a world or a snapshot to fork. */
export interface NewWorld {
  readonly id?: string
  readonly clock?: string
  readonly seed?: string
  readonly from?: string
}

/** Read access to one world; changes are in `actions`. */
export interface WorldSource {
  readonly id: string
  /** Returns the seed of the fingerprints, and the services by name with their addresses. */
  info(): Promise<WorldInfo>
  entry(request: string): Promise<Entry>
  /** Returns the explanation of the reply to a request; null if the source has none. */
  explanation(request: string): Promise<Explanation | null>
  /** Returns the requests that have no answer yet, oldest first. */
  openRequests(): Promise<readonly OpenRequest[]>
  /** Returns the past events for the timeline, except those that `follow` delivers. */
  history(): Promise<readonly HistoryEvent[]>
  changes(request: string): Promise<readonly ChangedRow[]>
  /**
   * Returns the state of a service.
   *
   * @param request request right after which the state is wanted; the present state if left out
   */
  state(service: string, request?: string): Promise<ServiceState>
  /** Returns the clock and the next scheduled job. */
  clock(): Promise<ClockView>
  /**
   * Returns the scheduled jobs and the transitions that time alone causes, without a job, earliest
   * first. A live server returns at most 200.
   */
  due(): Promise<DueList>
  /** Returns the retained snapshots, oldest first. */
  snapshots(): Promise<readonly SnapshotView[]>
  /** Returns the rows that differ between a snapshot and the present. */
  changesSince(snapshot: string): Promise<readonly ChangedRow[]>
  /** Returns all kinds of state machines with their items. */
  machines(): Promise<readonly TransitionView[]>
  /** Returns the report as Markdown. */
  report(): Promise<string>
  options(): Promise<OptionsByService>
  /**
   * Returns the capacity of the journal, the number of retained requests, and the oldest of them.
   */
  journal(): Promise<JournalExtent>
  /** Returns the faults that are set, each with the number of requests that it has hit. */
  faults(): Promise<readonly Fault[]>
  presets(): Promise<readonly Preset[]>
  /** Returns the versions of a job, newest first; empty without `compute`. */
  jobVersions(job: JobName): Promise<readonly JobVersion[]>
  testRunLog(id: string): Promise<string>
  /** Returns the variables that connect clients; empty without `connect`. */
  variables(): Promise<Readonly<Record<string, string>>>
  /** Returns the variables in one of the formats of `GET /env`; needs `connect`. */
  variablesAs(format: string): Promise<string>
  /** Delivers events until the stream ends or the caller aborts it. */
  follow(request: EventsRequest): Promise<void>
  /**
   * Calls that change the world. All need the ability `change`, except that requests to the APIs
   * need `send`.
   */
  readonly actions: WorldActions
}

/** Changes of one world by the control plane, and requests to its APIs. */
export interface WorldActions {
  send(request: Sendable): Promise<ApiReply>
  clearJournal(): Promise<void>
  /** Restores the world to its state right before a request. */
  rewind(request: string): Promise<void>
  /** Adds a fault. Returns its id. */
  addFault(fault: object): Promise<string>
  /** Removes one fault, or all of them if no id is given. */
  removeFaults(id?: string): Promise<void>
  turnPresetOn(name: string, parameters: object): Promise<void>
  turnPresetOff(name: string): Promise<void>
  setOption(service: string, name: string, value: unknown): Promise<void>
  /**
   * Advances the clock. Returns the jobs that ran.
   *
   * @param by Go duration or milliseconds
   */
  advance(by: string | number): Promise<readonly FiredEvent[]>
  setClock(setting: ClockRequest): Promise<void>
  /** Takes a snapshot. Returns its id. */
  takeSnapshot(): Promise<string>
  restoreSnapshot(id: string): Promise<void>
  deleteSnapshot(id: string): Promise<void>
  /** Advances the scheduler's cluster by one step. */
  stepCluster(): Promise<void>
  forceTransition(kind: string, id: string, details: object): Promise<void>
  /** Restores the world's initial state. */
  reset(): Promise<void>
}

/** Run whose trace the page shows. */
export interface RunDescription {
  /** One line, such as the command and its exit code, or the test and its error. */
  readonly title: string
  /** Lines shown below the title. */
  readonly details: readonly string[]
  readonly failed: boolean
  /** Warning that the trace holds secrets; undefined if they were hidden. */
  readonly warning: string | undefined
  /** Requests that reached no world. */
  readonly unattributed: readonly UnattributedRequest[]
  readonly controlCalls: readonly TracedControlCall[]
}

/** Past event of a world. */
export interface HistoryEvent {
  /** Time on the world's clock. */
  readonly at: string
  readonly kind: string
  readonly text: string
  /** Rows that were written, if the event wrote any. */
  readonly changes: readonly ChangedRow[]
}

export interface FiredEvent {
  readonly at: string
  readonly kind: string
  readonly id: string
}

/** Properties of a world that never change. */
export interface WorldInfo {
  /** Undefined if the source keeps it secret. */
  readonly seed: string | undefined
  readonly services: Readonly<Record<string, { readonly url: string }>>
}

/** Size of a journal, and its oldest request. */
export interface JournalExtent {
  /** Maximum number of retained requests. */
  readonly capacity: number
  /** Number of requests that the journal currently retains. */
  readonly total: number
  readonly oldest: Pick<Entry, 'id' | 'durationMs'> | undefined
}

export type OptionsByService = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Set of faults that can be turned on by one name. */
export interface Preset {
  readonly name: string
  /** Markdown with inline code, in the server's dialect. */
  readonly summary: string
  readonly service: string
  readonly parameters: FormSchema
  /** Whether a fault, option or transition of the preset is in place. */
  readonly applied: boolean
}

export interface JobName {
  readonly id: string
  readonly namespace: string
}

/**
 * Version of a job, with the scheduler's diff from version `since`. For the oldest version, `since`
 * and `diff` are null.
 */
export interface JobVersion {
  readonly version: number
  readonly since: number | null
  readonly diff: JobDiff | null
}

export interface ApiReply {
  readonly status: number
  /** Id of the request in the journal; undefined if the reply does not name it. */
  readonly id: string | undefined
  readonly body: string
}

/** Subscription to the events of a world. */
export interface EventsRequest {
  readonly types: string
  /** Id of the last event already received; undefined to start now. */
  readonly after: string | undefined
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onEvents: (events: readonly ServerEvent[]) => void
}
