import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { meshName } from '../indexes.ts'
import { refuse } from '../texts.ts'
import { namespaceKey } from './names.ts'

/** IDs of the policies and roles that tokens of a namespace have by default; null when not sent. */
export interface AclDefaults {
  readonly policy_defaults: readonly string[] | null
  readonly role_defaults: readonly string[] | null
}

/** A namespace (3-mesh-and-scheduler.md, Resources; 3a-mesh-decisions.md section 2). */
export interface Namespace {
  /** As it was first spelled. */
  readonly name: string
  readonly description: string
  readonly acls: AclDefaults | null
  readonly meta: Readonly<Record<string, string>>
  /** When its deletion was asked for, in milliseconds since 1970; null while it was not. */
  readonly deleted_at: number | null
  readonly create_index: number
  readonly modify_index: number
}

const ids = { type: ['array', 'null'], items: { type: 'string' } } as const

/** By `namespaceKey` of the name. */
export const namespaces = defineTable<Namespace>({
  service: meshName,
  name: 'namespaces',
  schema: {
    type: 'object',
    required: ['name', 'description', 'acls', 'meta', 'deleted_at', 'create_index', 'modify_index'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' },
      description: { type: 'string' },
      acls: {
        type: ['object', 'null'],
        required: ['policy_defaults', 'role_defaults'],
        additionalProperties: false,
        properties: { policy_defaults: ids, role_defaults: ids },
      },
      meta: { type: 'object', additionalProperties: { type: 'string' } },
      deleted_at: { type: ['number', 'null'] },
      create_index: { type: 'integer', minimum: 0 },
      modify_index: { type: 'integer', minimum: 0 },
    },
  },
})

/** The kind of data that namespaces are, as their index is noted. */
export const namespaceData = 'namespaces'

/** The namespace that always exists. */
export const defaultNamespace = 'default'

/** The namespace of this name, in any letter case. */
export function namespaceNamed(world: World, name: string): Namespace | undefined {
  return world.table(namespaces).get(namespaceKey(name))
}

/** Every namespace, those marked for deletion included, in byte order of the names. */
export function allNamespaces(world: World): readonly Namespace[] {
  // Names are ASCII, so the order of code units is that of bytes.
  return [...world.table(namespaces).rows()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Whether its deletion was asked for: its data can be read, not written. */
export function isMarked({ deleted_at }: Namespace): boolean {
  return deleted_at !== null
}

/** The namespace, for its own reads and its deletion: a missing one is not found (404). */
export function foundNamespace(world: World, name: string): Namespace {
  const found = namespaceNamed(world, name)
  if (found === undefined) throw refuse('namespace-absent', { name })
  return found
}

/** The namespace, for calls about data in it: a missing one is the server's error (section 5, Endpoints). */
export function existingNamespace(world: World, name: string): Namespace {
  const found = namespaceNamed(world, name)
  if (found === undefined) throw refuse('namespace-absent-for-data', { name })
  return found
}

/** The namespace, for writes of data in it; refuses one that is marked for deletion too. */
export function writableNamespace(world: World, name: string): Namespace {
  const found = existingNamespace(world, name)
  refuseMarked(found)
  return found
}

/** Refuses to change a namespace that is marked for deletion (section 3). */
export function refuseMarked(namespace: Namespace): void {
  if (!isMarked(namespace)) return
  throw refuse('namespace-marked', { name: namespace.name })
}
