import type { World } from '../../kernel/worlds/world.ts'
import { type AclLink, resolveLinks } from '../acl/links.ts'
import { nextIndex, touch } from '../indexes.ts'
import { refuse } from '../messages.ts'
import {
  defaultNamespace,
  isMarkedForDeletion,
  type Namespace,
  namespaceDataKind,
  namespaceKey,
  namespaceNamed,
  namespaces,
  refuseMarkedForDeletion,
  requireNamespace,
} from './namespaces.ts'
import { scheduleRemoval } from './removal.ts'

/**
 * Links to the default policies and roles of a namespace's tokens, as the request contains them. A
 * list that the request does not contain is null.
 */
interface DefaultLinks {
  readonly policies: readonly AclLink[] | null
  readonly roles: readonly AclLink[] | null
}

export interface NamespaceDefinition {
  /** Name of the namespace. The caller has validated the name with functions of `namespaces.ts`. */
  readonly name: string
  readonly description: string
  readonly acls: DefaultLinks | null
  readonly meta: Readonly<Record<string, string>>
}

/**
 * Creates a namespace. If a namespace with this name already exists, replaces its definition; names
 * are case-insensitive (behaviour/mesh#namespace-writes). Throws a refusal if the namespace is
 * marked for deletion or if a linked object does not exist.
 */
export function putNamespace(world: World, definition: NamespaceDefinition): Namespace {
  const { name, description, acls, meta } = definition
  const before = namespaceNamed(world, name)
  if (before !== undefined) refuseMarkedForDeletion(before)
  const links = acls && {
    policy_defaults: acls.policies && resolveLinks(world, 'policy', acls.policies),
    role_defaults: acls.roles && resolveLinks(world, 'role', acls.roles),
  }
  return world.write(() => {
    const index = nextIndex(world)
    return putNamespaceRow(world, {
      name: before?.name ?? name,
      description,
      acls: links,
      meta,
      deleted_at: null,
      create_index: before?.create_index ?? index,
      modify_index: index,
    })
  })
}

/**
 * Marks a namespace for deletion and, unless the timing is `manual`, schedules its removal
 * (behaviour/mesh#namespace-writes, DELETE). Does nothing if the namespace is already marked.
 * Throws a refusal if the namespace does not exist or is builtin.
 */
export function deleteNamespace(world: World, name: string): void {
  const namespace = requireNamespace(world, name)
  if (namespaceKey(namespace.name) === defaultNamespace) throw refuse('namespace-builtin')
  if (isMarkedForDeletion(namespace)) return
  world.write(() => {
    const deleted_at = world.clock.now()
    putNamespaceRow(world, { ...namespace, deleted_at, modify_index: nextIndex(world) })
    scheduleRemoval(world, namespace.name)
  })
}

/**
 * Stores a namespace under its key and raises the index of namespaces. Must run inside a
 * transaction.
 */
export function putNamespaceRow(world: World, namespace: Namespace): Namespace {
  world.table(namespaces).put(namespaceKey(namespace.name), namespace)
  touch(world, namespaceDataKind)
  return namespace
}
