import type { Readable } from 'node:stream'
import type { RowDifference } from '../../../state/kernel/store/diff.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type EventType, eventTypes, type WorldEvent } from '../../events/hub.ts'
import { listen } from '../../events/listen.ts'
import {
  type EventClient,
  eventStream,
  parseEventTypes,
  parseLastEventId,
} from '../../events/stream.ts'
import { type Explanation, explain } from '../../explain/explanation.ts'
import type { ControlTools } from '../../http/declare/control-call.ts'
import { type Fingerprint, fingerprintOf } from '../../journal/fingerprint.ts'
import { junitOf } from '../../report/junit.ts'
import { markdownOf } from '../../report/markdown.ts'
import { metricsText } from '../../report/metrics.ts'
import { reportParts, runWithoutPauses } from '../../report/report.ts'
import type { Report } from '../../report/report-shapes.ts'
import { RequestsControl } from '../requests/requests-control.ts'
import { controlTools } from '../state/seeding.ts'
import type { TracedRunInput } from '../trace/trace-shapes.ts'
import { type ControlDependencies, tracePageOf } from './control-dependencies.ts'

/** A mark: a line of text that a caller adds to the timeline of a world. */
interface MarkView {
  readonly text: string
  /** Time on the world's clock, in RFC 3339. */
  readonly at: string
}

interface StreamRequest extends EventClient {
  readonly types: string | undefined
  readonly allWorlds: boolean
}

/**
 * Control of the history of a world: its requests, explanations, reports, events, metrics, marks
 * and traces (behaviour/program#journal, behaviour/program#explanations, behaviour/program#events,
 * behaviour/program#reports and behaviour/program#traces).
 */
export class WorldHistory {
  readonly id: string
  protected readonly dependencies: ControlDependencies
  protected readonly tools: ControlTools
  readonly #world: World

  constructor(dependencies: ControlDependencies, world: World) {
    this.id = world.id
    this.dependencies = dependencies
    this.tools = controlTools()
    this.#world = world
  }

  /**
   * The world. Every access through the control restarts the world's time to live
   * (behaviour/program#worlds-for-clients).
   */
  protected get world(): World {
    this.dependencies.worlds.touch(this.id)
    return this.#world
  }

  /** The requests to the world (behaviour/program#journal). */
  get requests(): RequestsControl {
    const { world } = this
    const { journals, requestNames } = this.dependencies
    return new RequestsControl(journals.of(world), world, this.tools, requestNames)
  }

  /**
   * Returns the rows that a request changed, each with its table, its key, and its content before
   * and after the request. `before` is missing for an added row, and `after` for a deleted one.
   * Tables of the kernel are left out. Throws the refusals of `Journal.record`.
   */
  changesOf(request: string): readonly RowDifference[] {
    const rows = new Map<string, RowDifference>()
    for (const change of this.dependencies.journals.of(this.world).record(request).changes) {
      const { service, table, key, before: oldRow, after } = change
      if (service === 'kernel') continue
      const name = `${table}/${key}`
      // If a request writes a row several times, the content before the first write is compared
      // with the content after the last write.
      const earlier = rows.get(name)
      const before = earlier === undefined ? oldRow : earlier.before
      rows.set(name, {
        table,
        key,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      })
    }
    return [...rows.values()]
  }

  /**
   * Returns a report about the activity since the journal was cleared (behaviour/program#reports).
   */
  report(): Report
  /** Returns the report as text: Markdown, or JUnit XML for CI systems. */
  report(format: 'markdown' | 'junit'): string
  report(format?: 'markdown' | 'junit'): Report | string {
    const { world } = this
    const report = runWithoutPauses(this.#captureReport()(fingerprintOf(world.seed)))
    if (format === undefined) return report
    if (format === 'markdown') return markdownOf(report)
    const records = this.dependencies.journals.of(world).records()
    return junitOf(report, formatTimestamp(world.clock.now()), records)
  }

  /**
   * Captures the current data for a report. Returns a function that later builds the report as
   * Markdown and yields between its parts.
   *
   * @internal
   */
  captureMarkdownReport(): (fingerprint: Fingerprint) => Generator<void, string, undefined> {
    const build = this.#captureReport()
    return function* markdown(fingerprint) {
      return markdownOf(yield* build(fingerprint))
    }
  }

  #captureReport(): (fingerprint: Fingerprint) => Generator<void, Report, undefined> {
    const {
      journals,
      faults,
      documented = () => [],
      findLeftBehind = nothingLeft,
    } = this.dependencies
    const { world } = this
    const journal = journals.of(world)
    const records = [...journal.records()]
    const currentFaults = faults.of(world).list()
    const leftBehind = findLeftBehind(world, journal.beginning)
    return function* build(fingerprint) {
      const parts = reportParts(world, records, currentFaults, documented, fingerprint)
      return { ...(yield* parts), leftBehind }
    }
  }

  /**
   * Calls the listener with each event of this world from now on (behaviour/program#events).
   *
   * @param types types of events; if left out, all types except `journal`
   * @returns a function that unsubscribes
   */
  follow(
    listener: (event: WorldEvent) => void,
    types: readonly EventType[] = eventTypes,
  ): () => void {
    const { worlds, journals } = this.dependencies
    return listen({
      worlds,
      journal: journals.of(this.world),
      types: new Set(types),
      allWorlds: false,
      after: undefined,
      replay: () => {},
      send: listener,
      end: () => {},
    })
  }

  /**
   * Returns a stream of server-sent events that ends with this world. With `allWorlds`, the stream
   * includes the creation and the end of other worlds. Throws `InputError` for an unknown type and
   * for an invalid event id.
   */
  stream({ response, lastEventId, types, allWorlds }: StreamRequest): Readable {
    const { worlds, journals } = this.dependencies
    return eventStream({
      worlds,
      journal: journals.of(this.world),
      types: parseEventTypes(types),
      allWorlds: allWorlds,
      after: parseLastEventId(lastEventId),
      response,
    })
  }

  /**
   * Returns the counters of this world, and the measurements of the process, in the Prometheus text
   * format (behaviour/program#events).
   */
  metrics(): Promise<string> {
    const { journals, worlds } = this.dependencies
    const { blockedReaders } = this.world
    const { counters } = journals.of(this.world)
    return metricsText(counters, { worlds: worlds.list().length, blockedReaders })
  }

  /**
   * Adds a mark to the timeline of the world, which traces show. Returns the text of the mark with
   * its time (behaviour/program#traces).
   */
  mark(text: string): MarkView {
    const { at } = this.dependencies.journals.of(this.world).marks.add(text)
    return { text, at: formatTimestamp(at) }
  }

  /**
   * Returns a trace of this world as an HTML page that can be opened without this server
   * (behaviour/program#traces). The trace contains the collected requests or, if nothing was
   * collected, the requests that the journal still has. Throws the refusals of `tracePageOf`.
   */
  trace(run?: TracedRunInput): Promise<string> {
    return tracePageOf(this.dependencies, [this.id], run)
  }

  /**
   * Explains the answer to a request (behaviour/program#explanations).
   *
   * @param id value of the header `X-Mock-Request`
   * @throws {Refusal} as `Journal.record` does, for a request that is unknown, was dropped or has
   *   no answer yet
   */
  explain(id: string): Explanation {
    const record = this.dependencies.journals.of(this.world).record(id)
    return explain(record, fingerprintOf(this.world.seed))
  }
}

const nothingLeft = () => ({ tokens: [], leases: [] })
