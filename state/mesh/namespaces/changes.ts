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

/** Links that a namespace gives its tokens, as callers send them; null for lists not sent. */
interface DefaultLinks {
  readonly policies: readonly AclLink[] | null
  readonly roles: readonly AclLink[] | null
}

/** A namespace as callers define it. */
export interface NamespaceDefinition {
  /** Checked already; see `names.ts`. */
  readonly name: string
  readonly description: string
  readonly acls: DefaultLinks | null
  readonly meta: Readonly<Record<string, string>>
}

/**
 * Creates a namespace, or replaces the whole definition of the one that has the name in any letter
 * case (behaviour/mesh#namespace-writes). Refuses one that is marked for deletion, and unknown links.
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
    return putRow(world, {
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
 * Marks a namespace for deletion and starts its removal; one that is marked already stays as it is
 * (behaviour/mesh#namespace-writes, DELETE). Refuses a missing one, and the builtin one.
 */
export function deleteNamespace(world: World, name: string): void {
  const namespace = requireNamespace(world, name)
  if (namespaceKey(namespace.name) === defaultNamespace) throw refuse('namespace-builtin')
  if (isMarkedForDeletion(namespace)) return
  world.write(() => {
    const deleted_at = world.clock.now()
    putRow(world, { ...namespace, deleted_at, modify_index: nextIndex(world) })
    scheduleRemoval(world, namespace.name)
  })
}

/** Stores a namespace's row in the open transaction. */
export function putRow(world: World, namespace: Namespace): Namespace {
  world.table(namespaces).put(namespaceKey(namespace.name), namespace)
  touch(world, namespaceDataKind)
  return namespace
}
