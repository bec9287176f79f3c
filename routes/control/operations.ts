import type { Operation } from '../http/declare/operation.ts'
import type { ControlContext } from './context.ts'
import { eventOperations } from './events/event-operations.ts'
import { faultOperations } from './faults/fault-operations.ts'
import { presetOperations } from './faults/preset-operations.ts'
import { explainOperations } from './requests/explain-operations.ts'
import { journalOperations } from './requests/journal-operations.ts'
import { reportOperations } from './requests/report-operations.ts'
import { processOperations } from './worlds/process-operations.ts'
import { worldOperations } from './worlds/world-operations.ts'

/** Service of the process with its contributions to the control plane. */
interface ControlledService {
  readonly name: string
  /** Operations on one world. */
  readonly operations?: readonly Operation<ControlContext>[]
}

/** Returns operations on one world, each for the world of the request and below `/worlds/{id}`. */
export function perWorldOperations(
  services: readonly ControlledService[],
): readonly Operation<ControlContext>[] {
  return [
    ...worldOperations,
    ...journalOperations,
    ...explainOperations,
    ...presetOperations,
    ...faultOperations,
    ...reportOperations,
    ...services.flatMap(({ operations = [] }) => operations),
  ]
}

/** Returns every operation of the control plane of a process with these services. */
export function controlOperations(
  services: readonly ControlledService[],
): readonly Operation<ControlContext>[] {
  const perWorld = perWorldOperations(services)
  return [
    ...processOperations(services.map(({ name }) => name)),
    ...eventOperations,
    ...perWorld,
    ...perWorld.map((operation) => ({
      ...operation,
      id: `${operation.id}OfWorld`,
      path: `/worlds/:world${operation.path}`,
    })),
  ]
}
