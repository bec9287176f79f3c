import type { ClockView, DueList } from '../../routes/control/clock/clock-shapes.ts'
import type { TransitionView } from '../../routes/control/clock/transition-control.ts'
import type { SnapshotView } from '../../routes/control/state/state-shapes.ts'
import type { WorldOverview } from '../../routes/control/worlds/world-shapes.ts'
import type { Explanation } from '../../routes/explain/explanation.ts'
import type { Fault } from '../../routes/faults/declare/fault-shapes.ts'
import type { Entry } from '../../routes/journal/entry.ts'
import type { OpenRequest } from '../../routes/journal/journal-queries.ts'
import { requestIdsByPosition, stateAfter } from '../../routes/trace/past-state.ts'
import type { RequestStep, Trace, TracedWorld } from '../../routes/trace/trace.ts'
import type { ChangedRow } from '../parts/row-change.tsx'
import type { ServiceState, StateRow } from '../pure/items.ts'
import type { ServerEvent } from '../pure/server-events.ts'
import { changesBetween, mergeChanges } from './row-changes.ts'
import type {
  EventsRequest,
  HistoryEvent,
  JobVersion,
  JournalExtent,
  OptionsByService,
  Preset,
  RunDescription,
  Source,
  WorldActions,
  WorldInfo,
  WorldSource,
} from './source.ts'
import { historyOf } from './trace-history.ts'
import { describeRun } from './trace-run.ts'

/** Read-only source for the page of a trace. */
export class TraceSource implements Source {
  readonly run: RunDescription
  readonly #trace: Trace
  readonly #worlds: ReadonlyMap<string, TraceWorld>

  constructor(trace: Trace) {
    this.#trace = trace
    this.run = describeRun(trace)
    this.#worlds = new Map(trace.worlds.map((world) => [world.id, new TraceWorld(world)]))
  }

  can(): boolean {
    return false
  }

  async defaultWorld(): Promise<string> {
    const [first] = this.#trace.worlds
    const failed = this.#trace.worlds.find(({ steps }) =>
      steps.some((step) => step.kind === 'request' && step.entry.outcome !== 'served'),
    )
    return (failed ?? first)?.id ?? ''
  }

  async worlds(): Promise<readonly WorldOverview[]> {
    const { worlds, run } = this.#trace
    return worlds.map(({ id, madeAt, steps, clock }) => ({
      id,
      basePath: '',
      dialect: run.dialect,
      madeAt: new Date(Date.parse(run.startedAt) + madeAt).toISOString(),
      requests: steps.filter(({ kind }) => kind === 'request').length,
      clock,
    }))
  }

  world(id: string): WorldSource {
    const world = this.#worlds.get(id)
    if (world === undefined) throw new Error(`The trace has no world "${id}".`)
    return world
  }

  async optionsForm(): Promise<undefined> {
    return undefined
  }

  rebaseUrls(text: string): string {
    return text
  }

  trace(): never {
    return notInTrace()
  }

  createWorld(): never {
    return notInTrace()
  }

  deleteWorld(): never {
    return notInTrace()
  }
}

/** Request of a trace with its position among the steps. */
interface PlacedRequest {
  readonly step: RequestStep
  readonly position: number
}

class TraceWorld implements WorldSource {
  readonly id: string
  readonly #world: TracedWorld
  readonly #requests: ReadonlyMap<string, PlacedRequest>

  constructor(world: TracedWorld) {
    this.id = world.id
    this.#world = world
    const requestIds = requestIdsByPosition(world)
    this.#requests = new Map(
      world.steps.flatMap((step, position) =>
        step.kind === 'request'
          ? [[requestIds.get(position) ?? step.entry.id, { step, position }]]
          : [],
      ),
    )
  }

  get actions(): WorldActions {
    return notInTrace()
  }

  async info(): Promise<WorldInfo> {
    return { seed: undefined, services: this.#world.services }
  }

  async entry(request: string): Promise<Entry> {
    const { entry } = this.#find(request).step
    return { ...entry, id: request }
  }

  async explanation(request: string): Promise<Explanation | null> {
    return this.#find(request).step.explanation ?? null
  }

  async openRequests(): Promise<readonly OpenRequest[]> {
    return this.#world.open
  }

  async history(): Promise<readonly HistoryEvent[]> {
    return historyOf(this.#world)
  }

  async changes(request: string): Promise<readonly ChangedRow[]> {
    const { step, position } = this.#find(request)
    const { steps } = this.#world
    const found: ChangedRow[][] = []
    for (let at = position - 1; at >= 0; at -= 1) {
      const each = steps[at]
      // A reset restarts the ids of requests, so earlier steps may have another request with this
      // id.
      if (each === undefined || each.kind === 'replaced') break
      if (each.kind === 'changes' && each.request === step.entry.id) found.push([...each.changes])
    }
    return mergeChanges(found.reverse().flat())
  }

  async state(service: string, request?: string): Promise<ServiceState> {
    const position = request === undefined ? undefined : this.#find(request).position
    const prefix = `${service}.`
    const tables = Object.entries(stateAfter(this.#world, position)).flatMap(([id, rows]) =>
      id.startsWith(prefix) ? [[id.slice(prefix.length), rows] as const] : [],
    )
    // The cast is safe, because rows of a trace are JSON objects.
    return { tables: Object.fromEntries(tables) as Record<string, Record<string, StateRow>> }
  }

  async clock(): Promise<ClockView> {
    return this.#world.clock
  }

  async due(): Promise<DueList> {
    return this.#world.due
  }

  async snapshots(): Promise<readonly SnapshotView[]> {
    return this.#world.steps.flatMap((step) =>
      step.kind === 'snapshot'
        ? [{ id: step.id, world: this.id, takenAt: step.at, sequence: 0 }]
        : [],
    )
  }

  async changesSince(snapshot: string): Promise<readonly ChangedRow[]> {
    const { steps } = this.#world
    const at = steps.findIndex((step) => step.kind === 'snapshot' && step.id === snapshot)
    return changesBetween(stateAfter(this.#world, at), stateAfter(this.#world))
  }

  async machines(): Promise<readonly TransitionView[]> {
    return this.#world.machines
  }

  async report(): Promise<string> {
    return this.#world.report
  }

  async options(): Promise<OptionsByService> {
    return this.#world.options
  }

  async journal(): Promise<JournalExtent> {
    const [oldest] = this.#requests.values()
    const { size } = this.#requests
    return { capacity: size, total: size, oldest: oldest?.step.entry }
  }

  async faults(): Promise<readonly Fault[]> {
    return this.#world.faults
  }

  async presets(): Promise<readonly Preset[]> {
    return []
  }

  async jobVersions(): Promise<readonly JobVersion[]> {
    return []
  }

  testRunLog(): never {
    return notInTrace()
  }

  variables(): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve({})
  }

  variablesAs(): never {
    return notInTrace()
  }

  /** Delivers all requests as events at once, and ends only when `signal` is aborted. */
  async follow({ signal, onOpen, onEvents }: EventsRequest): Promise<void> {
    onOpen()
    onEvents([...this.#events()])
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }

  *#events(): Generator<ServerEvent> {
    for (const [id, { step }] of this.#requests) {
      const { body: _, responseBody: __, ...entry } = step.entry
      yield { type: 'request', id: '', data: JSON.stringify({ ...entry, id }) }
    }
  }

  #find(request: string): PlacedRequest {
    const found = this.#requests.get(request)
    if (found === undefined) throw new Error(`The trace has no request "${request}".`)
    return found
  }
}

function notInTrace(): never {
  throw new Error('A trace can only be read.')
}
