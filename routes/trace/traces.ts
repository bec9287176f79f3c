import { buildTrace, type TraceDependencies } from './build.ts'
import { TraceCollector } from './collector.ts'
import { type PackedTrace, unpackTrace } from './packed.ts'
import { renderTracePage } from './page.ts'
import type { Trace, TracedRun } from './trace.ts'

type TracesDependencies = Omit<TraceDependencies, 'collector' | 'origin'> & {
  /** Returns scheme and host of the combined listener; undefined while it is not open. */
  readonly origin: () => string | undefined
}

/** Traces of one process (behaviour/program#traces). */
export class Traces {
  readonly collector: TraceCollector
  readonly #dependencies: TracesDependencies
  readonly #template: () => string

  /**
   * @param template returns the page of a trace without its data
   */
  constructor(dependencies: TracesDependencies, template: () => string) {
    this.collector = new TraceCollector(dependencies)
    this.#dependencies = dependencies
    this.#template = template
  }

  /**
   * Starts to collect requests that no journal has, so that traces that are built from journals
   * include these requests.
   */
  collectStrays(): void {
    this.#dependencies.journals.unjournaledRequests.collect()
  }

  /**
   * Returns the data of a trace: the collected events or, if nothing was collected, the events that
   * the journals still have.
   *
   * @param run circumstances that the caller knows
   * @param worlds ids of the worlds to include; if left out, all worlds with requests or marks
   */
  async data(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<Trace> {
    return unpackTrace(await this.packTrace(run, worlds))
  }

  /**
   * Returns a trace as the HTML text of a page. The arguments have the same meaning as for `data`.
   */
  async page(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<string> {
    return renderTracePage(await this.packTrace(run, worlds), this.#template())
  }

  /**
   * Returns the data of a trace in the form of its file. The arguments have the same meaning as for
   * `data`.
   */
  packTrace(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<PackedTrace> {
    const { collector } = this
    const dependencies = { ...this.#dependencies, collector, origin: this.#dependencies.origin() }
    return buildTrace(dependencies, run, worlds)
  }
}
