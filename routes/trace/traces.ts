import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import { buildTrace } from './build.ts'
import { TraceCollector } from './collector.ts'
import { tracePage } from './page.ts'
import type { Trace, TracedRun } from './trace.ts'

/** Traces of one process (behaviour/program#traces). */
export class Traces {
  readonly collector: TraceCollector
  readonly #parts: ControlDependencies
  readonly #template: () => string

  /**
   * @param template returns the page of a trace without its data
   */
  constructor(parts: ControlDependencies, template: () => string) {
    this.collector = new TraceCollector(parts)
    this.#parts = parts
    this.#template = template
  }

  /**
   * Returns the data of a trace: what was collected, or what the journals still have.
   *
   * @param run circumstances that the caller knows
   * @param worlds ids of the worlds to include; all if left out
   */
  data(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<Trace> {
    return buildTrace({ ...this.#parts, collector: this.collector }, run, worlds)
  }

  /** Returns a trace as the HTML text of a page; arguments as for `data`. */
  async page(run: Partial<TracedRun> = {}, worlds?: readonly string[]): Promise<string> {
    return tracePage(await this.data(run, worlds), this.#template())
  }
}
