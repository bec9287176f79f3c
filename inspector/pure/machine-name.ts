import type { ServiceState } from './items.ts'

/** Table with the objects of each kind of state machine. */
const tableByKind: Readonly<Record<string, string>> = {
  'scheduler.allocation': 'allocations',
  'scheduler.task': 'allocations',
  'scheduler.node': 'nodes',
  'scheduler.evaluation': 'evaluations',
  'scheduler.deployment': 'deployments',
}

/**
 * Returns the display name of a state machine: the name or job of its row, its task and its
 * shortened id; only the id if the row has neither a name nor a job.
 */
export function machineName(kind: string, id: string, state: ServiceState | undefined): string {
  const [key = id, task] = id.split(':', 2)
  const row = state?.tables[tableByKind[kind] ?? '']?.[key]
  const name = row?.['Name'] ?? row?.['JobID']
  if (typeof name !== 'string') return id
  return `${name}${task === undefined ? '' : ` ${task}`} · ${key.slice(0, 8)}`
}
