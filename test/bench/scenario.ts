import type { Request } from './connection.ts'

/** How much one server may cost compared with another. */
export interface Bounds {
  /** CPU time of a request: at most this many times that of the other one. */
  readonly cpu: number
  /** Requests per second: at least this many times those of the other one. */
  readonly rps: number
}

/** One row of the benchmark: what is sent to a server in which something is stored already. */
export interface Scenario {
  readonly name: string
  /** What must be there first. */
  readonly setUp: readonly Request[]
  /** Sent in turn, as often as time allows. */
  readonly requests: readonly Request[]
  /** Requests per second of the measurement by CPU: some third of what a small machine holds. */
  readonly rate: number
  /** Against a Fastify that does nothing but HTTP. */
  readonly bare?: Bounds
  /** Against the same command whose journal keeps nothing. */
  readonly unjournaled?: Bounds
  /** CPU against another checkout: at most this share of it; undefined for what older ones have not. */
  readonly against?: number
}
