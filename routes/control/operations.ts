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

/** A service of the process, with what the control plane offers of it. */
interface ControlledService {
  readonly name: string
  /** Concern one world. */
  readonly operations?: readonly Operation<ControlContext>[]
}

/** Operations on one world: each exists for the world of the request and below `/worlds/{id}`. */
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

/** Every operation of the control plane of a process with these services. */
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
