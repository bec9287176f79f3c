import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { EventClient } from '../events/stream.ts'
import type { Connection } from '../http/blocking/connection.ts'
import { callsOf, type PartContext } from '../http/declare/control-call.ts'
import { operationFor } from '../http/declare/operation.ts'
import type { Coverage } from './coverage.ts'
import type { ProcessControl } from './worlds/process-control.ts'
import type { WorldControl } from './worlds/world-control.ts'

/** Context of a control operation. */
export interface ControlContext extends PartContext {
  readonly process: ProcessControl
  readonly world: WorldControl
  /** True if the request names its world, by a prefix or a header or by the listener it came to. */
  readonly namesWorld: boolean
  /** Connection of the request's client. */
  readonly connection: Connection
  /** Client of an event stream: its response, and the id of the last event that it received. */
  readonly eventClient: EventClient
  /** True once everything has been loaded. */
  readonly ready: boolean
  /** Handler that ends the process; undefined unless enabled. */
  readonly shutdown: (() => void) | undefined
  /** Returns the ledger of operations and choices, or only the part of the named service. */
  coverage(service: string | undefined): Coverage
  /** Returns the OpenAPI document of the control plane. */
  openApi(): JsonSchema
  /** Returns the OpenAPI document of an API; undefined for an unknown one. */
  serviceOpenApi(service: string): JsonSchema | undefined
}

/** Declares an operation of the control plane whose answer is more than a body. */
export const operation = operationFor<ControlContext>()

/** Returns the function that declares calls on a world's control; `spec` cites their rules. */
export const worldCalls = (spec?: string) => callsOf(({ world }: ControlContext) => world, spec)

/** Citation of the rules that specify the operations. */
export const spec = 'behaviour/program#control-plane'
