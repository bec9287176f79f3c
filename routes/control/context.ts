import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { EventClient } from '../events/stream.ts'
import type { Connection } from '../http/blocking/connection.ts'
import { operationFor } from '../http/declare/operation.ts'
import type { Coverage } from './coverage.ts'
import type { ProcessControl } from './worlds/process-control.ts'
import type { WorldControl } from './worlds/world-control.ts'

/** Context of a control operation. */
export interface ControlContext {
  readonly process: ProcessControl
  /** World that the path or, failing that, the request names. */
  readonly world: WorldControl
  /** Scheme and host as the caller used them. */
  readonly origin: string
  /** Connection of the request's client. */
  readonly connection: Connection
  /** Client of an event stream: its response, and the id of the last event that it received. */
  readonly eventClient: EventClient
  /** True once everything has been loaded. */
  readonly ready: boolean
  /** Handler that ends the process; undefined unless enabled. */
  readonly shutdown: (() => void) | undefined
  /** Returns the ledger of operations and choices; only one service's if one is named. */
  coverage(service: string | undefined): Coverage
  /** Returns the OpenAPI document of the control plane. */
  openApi(): JsonSchema
  /** Returns the OpenAPI document of an API; undefined for an unknown one. */
  serviceOpenApi(service: string): JsonSchema | undefined
}

/** Declares an operation of the control plane. */
export const operation = operationFor<ControlContext>()

/** Citation of the rules that specify the operations. */
export const spec = 'behaviour/program#control-plane'
