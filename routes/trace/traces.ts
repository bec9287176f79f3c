import { buildTrace, type TraceDependencies } from './build.ts'
import { TraceCollector } from './collector.ts'
import { type PackedTrace, unpackTrace } from './packed.ts'
import { renderTracePage } from './page.ts'
import type { Trace, TracedRun } from './trace.ts'

type TracesDependencies = Omit<TraceDependencies, 'collector' | 'origin'> & {
  /**
   * Returns scheme and host of the combined listener; undefined while that listener is not open.
   */
  readonly origin: () => string | undefined
}

/** Source of the traces of one process (behaviour/program#traces). */
export class Traces {
  readonly collector: TraceCollector
  readonly #dependencies: TracesDependencies
  readonly #template: () => string

  /** @param template returns the HTML of a trace page that contains no data yet */
  constructor(dependencies: TracesDependencies, template: () => string) {
    this.collector = new TraceCollector(dependencies)
    this.#dependencies = dependencies
    this.#template = template
  }

  /**
   * Starts to collect requests that belong to no journal. Traces built from journals then include
   * these requests.
   */
  collectStrays(): void {
    this.#dependencies.journals.unjournaledRequests.collect()
  }

  /**
   * Returns the data of a trace: the collected events or, if nothing was collected, the events that
   * the journals still have.
   *
   * @param run details of the run that only the caller knows
   * @param worlds ids of the worlds to include; if left out, all worlds with requests or marks
   */
  async data(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<Trace> {
    return unpackTrace(await this.packTrace(run, worlds))
  }

  /** Returns a trace as an HTML page. The arguments have the same meaning as for `data`. */
  async page(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<string> {
    return renderTracePage(await this.packTrace(run, worlds), this.#template())
  }

  /**
   * Returns the data of a trace in the packed format of trace files. The arguments have the same
   * meaning as for `data`.
   */
  packTrace(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<PackedTrace> {
    const { collector } = this
    const dependencies = { ...this.#dependencies, collector, origin: this.#dependencies.origin() }
    return buildTrace(dependencies, run, worlds)
  }
}
