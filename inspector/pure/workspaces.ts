import type { ServiceState, StateRow } from './items.ts'
import { isSecretName, maskSecrets } from './secret.ts'

/** Status that a run reached, with its time and the milliseconds since the previous status. */
interface RunStep {
  readonly status: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly duration: number
}

/**
 * Workspace with the rows that belong to it. The runs and state versions are listed newest first.
 */
export interface WorkspaceView {
  readonly id: string
  /** Name of the organization, followed by the name of the workspace. */
  readonly name: string
  readonly row: StateRow
  readonly runs: readonly StateRow[]
  readonly versions: readonly StateRow[]
  readonly variables: readonly StateRow[]
}

/** Returns the workspaces of the platform API, sorted by name. */
export function workspaceViews({ tables }: ServiceState): readonly WorkspaceView[] {
  const rowsOf = (table: string, owner: string, id: string) =>
    Object.values(tables[table] ?? {}).filter((row) => row[owner] === id)
  return Object.entries(tables['workspaces'] ?? {})
    .map(([name, row]) => {
      const id = String(row['id'])
      return {
        id,
        name,
        row,
        runs: newestFirst(rowsOf('runs', 'workspace', id)),
        versions: newestFirst(rowsOf('state-versions', 'workspace', id)),
        variables: rowsOf('variables', 'module', id),
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function newestFirst(rows: readonly StateRow[]): readonly StateRow[] {
  return rows.toSorted((a, b) => Number(b['created_at']) - Number(a['created_at']))
}

/** Returns the statuses that a run has reached, oldest first, beginning with its creation. */
export function runSteps(run: StateRow): readonly RunStep[] {
  const created = Number(run['created_at'])
  const reached = Object.entries(run['reached'] ?? {})
    .map(([name, at]) => ({ status: name.replace(/_at$/, ''), at: Number(at) }))
    .sort((a, b) => a.at - b.at)
  return [{ status: 'created', at: created }, ...reached].map((step, index, steps) => ({
    ...step,
    duration: step.at - (steps[index - 1]?.at ?? step.at),
  }))
}

/**
 * Returns the state file of a state version: its JSON, or its text if it is not JSON; undefined if
 * the file is not stored.
 */
export function stateFile({ tables }: ServiceState, version: string): unknown {
  const text = tables['state-contents']?.[`${version}/raw`]?.['text']
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Returns a state file with dots in place of its secrets: sensitive outputs, attributes that the
 * file marks as sensitive, and members with the name of a secret. A file that is not a JSON object
 * is masked as a whole; undefined stays undefined.
 */
export function maskStateFile(file: unknown): unknown {
  if (file === undefined) return undefined
  if (!isObject(file)) return maskSecrets(file, '', true)
  return mapMembers(file, (value, name) => {
    if (name === 'outputs' && isObject(value)) return mapMembers(value, maskOutput)
    if (name === 'resources' && Array.isArray(value)) return value.map(maskResource)
    return maskSecrets(value, '')
  })
}

function maskOutput(output: unknown, name: string): unknown {
  if (!isObject(output)) return maskSecrets(output, '', true)
  const isSecret = output['sensitive'] === true || isSecretName(name)
  return mapMembers(output, (value, member) =>
    member === 'value' ? maskSecrets(value, '', isSecret) : value,
  )
}

function maskResource(resource: unknown): unknown {
  if (!isObject(resource)) return maskSecrets(resource, '', true)
  return mapMembers(resource, (value, name) =>
    name === 'instances' && Array.isArray(value) ? value.map(maskInstance) : maskSecrets(value, ''),
  )
}

function maskInstance(instance: unknown): unknown {
  if (!isObject(instance)) return maskSecrets(instance, '', true)
  const marks = JSON.stringify(instance['sensitive_attributes'] ?? [])
  return mapMembers(instance, (value, member) => {
    if (member === 'attributes' && isObject(value)) {
      return mapMembers(value, (each, name) =>
        maskSecrets(each, '', isSecretName(name) || marks.includes(JSON.stringify(name))),
      )
    }
    // The private data of providers may hold anything.
    return maskSecrets(value, '', member === 'private')
  })
}

function mapMembers(
  value: Readonly<Record<string, unknown>>,
  change: (member: unknown, name: string) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, change(member, name)]),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
