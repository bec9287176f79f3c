import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { EventClient } from '../events/stream.ts'
import type { Connection } from '../http/blocking/connection.ts'
import { callsOf, type PartContext } from '../http/declare/control-call.ts'
import { operationFor } from '../http/declare/operation.ts'
import type { Coverage } from './coverage.ts'
import type { ProcessControl } from './worlds/process-control.ts'
import type { WorldControl } from './worlds/world-control.ts'

/** The context in which an operation of the control plane runs. */
export interface ControlContext extends PartContext {
  readonly process: ProcessControl
  readonly world: WorldControl
  /**
   * True if the request names its world: by a prefix, by a header, or by the listener that accepted
   * it.
   */
  readonly namesWorld: boolean
  readonly connection: Connection
  /**
   * The client of an event stream: the response that carries the stream, and the id of the last
   * event that the client received.
   */
  readonly eventClient: EventClient
  /** True while the fixtures are loaded and no listener is being opened or closed. */
  readonly ready: boolean
  /** Handler that ends the process; undefined if shutting down is not enabled. */
  readonly shutdown: (() => void) | undefined
  /**
   * Returns the list of operations and choices. With a service, returns only the part about the
   * service.
   */
  coverage(service: string | undefined): Coverage
  /** Returns the OpenAPI document of the control plane. */
  openApi(): JsonSchema
  /** Returns the OpenAPI document of an API; undefined if there is no such API. */
  serviceOpenApi(service: string): JsonSchema | undefined
}

/**
 * Declares an operation of the control plane whose `run` returns the whole answer: status, headers
 * and body.
 */
export const operation = operationFor<ControlContext>()

/**
 * Returns a function that declares control-plane calls on the world of the request. `spec` cites
 * the rules that specify these calls.
 */
export const worldCalls = (spec?: string) => callsOf(({ world }: ControlContext) => world, spec)

/** Citation of the section that specifies the control plane. */
export const spec = 'behaviour/program#control-plane'
