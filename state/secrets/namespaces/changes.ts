import { compareBytewise } from '../../json/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import { trimSlashes } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { auditDevices } from '../audit.ts'
import { aliases } from '../identity/aliases.ts'
import { entities } from '../identity/entities.ts'
import { groups } from '../identity/groups.ts'
import {
  type CustomMetadata,
  type CustomMetadataPatch,
  checkCustomMetadata,
  patchedCustomMetadata,
  storedCustomMetadata,
} from '../kv/custom-metadata.ts'
import { revokeLeasesUnder } from '../leases/leases.ts'
import { remove as removeMount } from '../mounts/changes.ts'
import { mountConflict, mountKey, mounts, mountsIn } from '../mounts/mounts.ts'
import { seedNamespaceMounts } from '../mounts/start-mounts.ts'
import { passwordPolicies } from '../passwords/policies.ts'
import { policies, seedNamespacePolicies } from '../policies/policies.ts'
import { tokenRoles } from '../tokens/roles.ts'
import { tokens } from '../tokens/rows.ts'
import { revokeToken } from '../tokens/tokens.ts'
import { message, refuse } from './messages.ts'
import { checkNamespacesFeature, type Namespace, namespaces } from './namespaces.ts'

/** Names that paths of every namespace begin with, or that mean the root namespace. */
const reserved: ReadonlySet<string> = new Set([
  'root',
  'sys',
  'audit',
  'auth',
  'cubbyhole',
  'identity',
])

/** Tables in which a namespace's rows stand under its id. */
const tablesByNamespace: readonly TableDefinition[] = [
  policies,
  passwordPolicies,
  tokenRoles,
  auditDevices,
  entities,
  aliases,
  groups,
]

/** The namespaces directly below one, by the name they have there (with a closing slash), sorted. */
export function childNamespaces(
  world: World,
  parent: Namespace,
): (readonly [name: string, namespace: Namespace])[] {
  checkNamespacesFeature(world)
  const table = world.table(namespaces)
  return table
    .children(parent.path)
    .sort(compareBytewise)
    .flatMap((name) => {
      // The parent's own row comes as a child without a name.
      const child = name === '' ? undefined : table.get(parent.path + name)
      return child === undefined ? [] : [[name, child] as const]
    })
}

/** A namespace directly below another; refuses with `absent`. */
export function readNamespace(world: World, parent: Namespace, name: string): Namespace {
  const found = world.table(namespaces).get(childPath(world, parent, name))
  if (found === undefined) throw refuse('nothing-here')
  return found
}

/**
 * Makes a namespace below another, with the mounts and policies that every namespace begins with. One
 * that exists keeps its id and what is in it, and gets the new metadata.
 *
 * @throws invalid for a bad name, one that a mount has, and metadata beyond the limits.
 */
export function writeNamespace(
  world: World,
  parent: Namespace,
  name: string,
  metadata: CustomMetadata = {},
): Namespace {
  const path = childPath(world, parent, name)
  const relativePath = path.slice(parent.path.length)
  if (reserved.has(relativePath.slice(0, -1)) || /\s/.test(relativePath))
    throw refuse('namespace-name-invalid')
  checkCustomMetadata(metadata)
  const before = world.table(namespaces).get(path)
  if (before !== undefined) return store(world, before, metadata)
  const conflicting = mountConflict(world, parent, relativePath)
  if (conflicting !== undefined) {
    throw refuse('namespace-under-mount', { path: conflicting.path })
  }
  return world.write(() => {
    const namespace = store(world, { id: generateId(world), path, custom_metadata: {} }, metadata)
    seedNamespaceMounts(world, namespace)
    seedNamespacePolicies(world, namespace)
    return namespace
  })
}

/** Merges metadata: null takes a key away, null as a whole all of them. Refuses with `absent`. */
export function patchNamespace(
  world: World,
  parent: Namespace,
  name: string,
  patch: CustomMetadataPatch,
): Namespace {
  const before = readNamespace(world, parent, name)
  const merged = patchedCustomMetadata(before.custom_metadata, patch) ?? {}
  checkCustomMetadata(merged)
  return store(world, before, merged)
}

/**
 * Deletes a namespace with everything in it: leases, tokens with what they hold, mounts with their
 * data, policies, roles.
 *
 * @returns warnings: there is one for a namespace that does not exist.
 * @throws invalid when there are namespaces below it.
 */
export function deleteNamespace(world: World, parent: Namespace, name: string): Message[] {
  const namespace = world.table(namespaces).get(childPath(world, parent, name))
  if (namespace === undefined) return [message('namespace-absent')]
  if (childNamespaces(world, namespace).length > 0) {
    throw refuse('namespace-has-children')
  }
  world.write(() => {
    revokeLeasesUnder(world, namespace, '', 'force')
    const held = [...world.table(tokens).index('byAccessor').rows(`${namespace.id}/`)]
    for (const { id } of held) revokeToken(world, id)
    for (const mount of mountsIn(world, namespace)) removeMount(world, mount)
    for (const table of tablesByNamespace) world.table(table).deleteAll(`${namespace.id}/`)
    world.table(namespaces).delete(namespace.path)
  })
  return []
}

/** The path from the root of a name below a namespace, slashes around it aside. */
function childPath(world: World, parent: Namespace, name: string): string {
  checkNamespacesFeature(world)
  const trimmed = trimSlashes(name)
  if (trimmed.includes('/')) throw refuse('namespace-name-slash')
  if (trimmed === '') throw refuse('namespace-name-invalid')
  return `${parent.path}${trimmed}/`
}

function store(world: World, before: Namespace, metadata: CustomMetadata): Namespace {
  const namespace = { ...before, custom_metadata: storedCustomMetadata(metadata) ?? {} }
  world.write(() => world.table(namespaces).put(namespace.path, namespace))
  return namespace
}

/** An id that no other namespace has: each has a mount `sys/` under its id. */
function generateId(world: World): string {
  for (;;) {
    const id = world.ids.base62(5)
    if (!world.table(mounts).has(mountKey(id, 'sys/'))) return id
  }
}
