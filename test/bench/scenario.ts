import type { Request } from './connection.ts'

/** Limits of a comparison between two servers. */
export interface Bounds {
  /** Highest ratio of our CPU time per request to the baseline's. */
  readonly cpu: number
  /** Lowest ratio of our requests per second to the baseline's. */
  readonly rps: number
}

/** Row of the benchmark: the requests that are measured, and the data stored beforehand. */
export interface Scenario {
  readonly name: string
  /** Requests that store the data. */
  readonly setUp: readonly Request[]
  /** Requests to measure, sent in rotation for the whole measurement. */
  readonly requests: readonly Request[]
  /**
   * Requests per second of the CPU measurement: about a third of the capacity of a small machine.
   */
  readonly rate: number
  /** API whose own listener takes the requests; left out for the combined listener. */
  readonly api?: 'mesh'
  /** Limits against a Fastify that does nothing but HTTP. */
  readonly bare?: Bounds
  /** Further arguments of our command. */
  readonly args?: readonly string[]
  /** Limits against the same command without the further arguments. */
  readonly withoutArgs?: Bounds
  /** Limits against the same command with a journal that keeps nothing. */
  readonly unjournaled?: Bounds
  /**
   * Highest ratio of our CPU time to that of another checkout; undefined for features that older
   * checkouts lack.
   */
  readonly against?: number
}
