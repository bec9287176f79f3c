import type { PartContext } from '../http/declare/control-call.ts'
import type { Operation } from '../http/declare/operation.ts'
import { clockOperations, transitionOperations } from './clock/clock-operations.ts'
import type { ControlContext } from './context.ts'
import { eventOperations } from './events/event-operations.ts'
import { faultOperations } from './faults/fault-operations.ts'
import { journalOperations } from './requests/journal-operations.ts'
import { reportOperations } from './requests/report-operations.ts'
import { optionOperations, stateOperations } from './state/state-operations.ts'
import { markOperations, traceOperations } from './trace/trace-operations.ts'
import { processOperations } from './worlds/process-operations.ts'
import { worldOperations } from './worlds/world-operations.ts'

/** A service of the process, with the operations that it adds to the control plane. */
interface ControlledService {
  readonly name: string
  /** Operations on one world. */
  readonly controlCalls?: readonly Operation<PartContext>[]
}

/**
 * Returns the operations on one world. The paths of the operations do not contain the world,
 * because a request names its world by a prefix, a header or a listener. `controlOperations`
 * declares the operations again below `/worlds/{id}`.
 */
export function perWorldOperations(
  services: readonly ControlledService[],
): readonly Operation<ControlContext>[] {
  return [
    ...worldOperations,
    ...stateOperations,
    ...clockOperations,
    ...optionOperations,
    ...transitionOperations,
    ...journalOperations,
    ...faultOperations,
    ...reportOperations,
    ...markOperations,
    ...services.flatMap(({ controlCalls = [] }) => controlCalls),
  ]
}

/** Returns all operations of the control plane for a process with these services. */
export function controlOperations(
  services: readonly ControlledService[],
): readonly Operation<ControlContext>[] {
  const perWorld = perWorldOperations(services)
  return [
    ...processOperations(services.map(({ name }) => name)),
    ...eventOperations,
    ...traceOperations,
    ...perWorld,
    ...perWorld.map((operation) => ({
      ...operation,
      id: `${operation.id}OfWorld`,
      path: `/worlds/:world${operation.path}`,
    })),
  ]
}
