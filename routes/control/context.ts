import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { EventClient } from '../events/stream.ts'
import type { Connection } from '../http/blocking/connection.ts'
import { operationFor } from '../http/declare/operation.ts'
import type { Coverage } from './coverage.ts'
import type { ProcessControl } from './worlds/process-control.ts'
import type { WorldControl } from './worlds/world-control.ts'

/** The things that a control operation works on. */
export interface ControlContext {
  readonly process: ProcessControl
  /** The world that the path or else the request names. */
  readonly world: WorldControl
  /** Scheme and host as the caller used them. */
  readonly origin: string
  /** The other end of the request. */
  readonly connection: Connection
  /** Who listens to a stream: where it is written, and the event behind which it goes on. */
  readonly eventClient: EventClient
  /** True when everything has been loaded. */
  readonly ready: boolean
  /** Ends the process; undefined unless that was enabled. */
  readonly shutdown: (() => void) | undefined
  /** The ledger of operations and choices; only one service's where one is named. */
  coverage(service: string | undefined): Coverage
  /** The control plane's own OpenAPI document. */
  openApi(): JsonSchema
  /** That of one of the APIs; undefined for one that there is not. */
  serviceOpenApi(service: string): JsonSchema | undefined
}

/** Declares an operation of the control plane. */
export const operation = operationFor<ControlContext>()

/** Where the operations are specified. */
export const spec = 'behaviour/program#control-plane'
