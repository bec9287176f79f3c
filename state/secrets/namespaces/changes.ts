import { compareBytewise } from '../../json/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import { trimSlashes } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { auditDevices } from '../audit-and-cors.ts'
import { aliases } from '../identity/aliases.ts'
import { entities } from '../identity/entities.ts'
import { groups } from '../identity/groups.ts'
import {
  type CustomMetadata,
  type CustomMetadataPatch,
  checkCustomMetadata,
  patchedCustomMetadata,
  storedCustomMetadata,
} from '../kv/v2-metadata.ts'
import { revokeLeasesUnder } from '../leases/leases.ts'
import { enforcementTable } from '../mfa/enforcement-rows.ts'
import { removeMount } from '../mounts/changes.ts'
import { mountConflict, mountKey, mounts, mountsIn } from '../mounts/mounts.ts'
import { seedNamespaceMounts } from '../mounts/start-mounts.ts'
import { passwordPolicies } from '../passwords/policies.ts'
import { policies, seedNamespacePolicies } from '../policies/policies.ts'
import { tokenRoles } from '../tokens/roles.ts'
import { tokens } from '../tokens/rows.ts'
import { revokeToken } from '../tokens/tokens.ts'
import { message, refuse } from './messages.ts'
import { checkNamespacesFeature, type Namespace, namespaces } from './namespaces.ts'

/**
 * Names that namespaces cannot have, because paths below a namespace begin with them, or because
 * they mean the root namespace.
 */
const reservedNames: ReadonlySet<string> = new Set([
  'root',
  'sys',
  'audit',
  'auth',
  'cubbyhole',
  'identity',
])

/** Tables whose rows are deleted with their namespace; row keys begin with the namespace id. */
const tablesByNamespace: readonly TableDefinition[] = [
  policies,
  passwordPolicies,
  tokenRoles,
  auditDevices,
  entities,
  aliases,
  groups,
  enforcementTable,
]

/**
 * Returns the direct child namespaces with their names, sorted. Names end with a slash. Throws a
 * refusal in the community edition.
 */
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
      // `children` also lists the parent itself, under an empty name.
      const child = name === '' ? undefined : table.get(parent.path + name)
      return child === undefined ? [] : [[name, child] as const]
    })
}

/**
 * Returns a child namespace by its name. Throws an `absent` refusal for an unknown namespace; also
 * refuses a malformed name, and every name in the community edition.
 */
export function readNamespace(world: World, parent: Namespace, name: string): Namespace {
  const found = world.table(namespaces).get(childPath(world, parent, name))
  if (found === undefined) throw refuse('nothing-here')
  return found
}

/**
 * Creates a child namespace with its initial mounts and policies. If the namespace exists, only
 * replaces its metadata.
 *
 * @throws Refusal `invalid` for a reserved or malformed name, for a name that conflicts with the
 *   path of a mount, and for metadata that exceed the limits; also in the community edition
 */
export function writeNamespace(
  world: World,
  parent: Namespace,
  name: string,
  metadata: CustomMetadata = {},
): Namespace {
  const path = childPath(world, parent, name)
  const relativePath = path.slice(parent.path.length)
  if (reservedNames.has(relativePath.slice(0, -1)) || /\s/.test(relativePath))
    throw refuse('namespace-name-invalid')
  checkCustomMetadata(metadata)
  const before = world.table(namespaces).get(path)
  if (before !== undefined) return storeNamespace(world, before, metadata)
  const conflicting = mountConflict(world, parent, relativePath)
  if (conflicting !== undefined) throw refuse('namespace-under-mount', { path: conflicting.path })
  return world.write(() => {
    const namespace = storeNamespace(
      world,
      { id: generateId(world), path, custom_metadata: {} },
      metadata,
    )
    seedNamespaceMounts(world, namespace)
    seedNamespacePolicies(world, namespace)
    return namespace
  })
}

/**
 * Merges a patch into the metadata of a namespace: null removes a key; null instead of an object
 * removes all keys. Returns the changed namespace.
 * @throws Refusal `absent` for an unknown namespace; also for metadata that exceed the limits and
 *   in the community edition
 */
export function patchNamespace(
  world: World,
  parent: Namespace,
  name: string,
  patch: CustomMetadataPatch,
): Namespace {
  const before = readNamespace(world, parent, name)
  const merged = patchedCustomMetadata(before.custom_metadata, patch) ?? {}
  checkCustomMetadata(merged)
  return storeNamespace(world, before, merged)
}

/**
 * Deletes a namespace with all its objects: leases, tokens and their data, mounts and their data,
 * policies, roles, audit devices, identities and enforcements of second factors.
 *
 * @returns a warning if the namespace does not exist
 * @throws Refusal `invalid` if the namespace has child namespaces; also in the community edition
 */
export function deleteNamespace(world: World, parent: Namespace, name: string): Message[] {
  const namespace = world.table(namespaces).get(childPath(world, parent, name))
  if (namespace === undefined) return [message('namespace-absent')]
  if (childNamespaces(world, namespace).length > 0) throw refuse('namespace-has-children')
  world.write(() => {
    revokeLeasesUnder(world, namespace, '', 'force')
    const tokensOfNamespace = [...world.table(tokens).index('byAccessor').rows(`${namespace.id}/`)]
    for (const { id } of tokensOfNamespace) revokeToken(world, id)
    for (const mount of mountsIn(world, namespace)) removeMount(world, mount)
    for (const table of tablesByNamespace) world.table(table).deleteAll(`${namespace.id}/`)
    world.table(namespaces).delete(namespace.path)
  })
  return []
}

/**
 * Returns the full path of a child namespace. Ignores slashes around the name.
 * @throws Refusal if the name is empty or contains a slash, and in the community edition
 */
function childPath(world: World, parent: Namespace, name: string): string {
  checkNamespacesFeature(world)
  const trimmed = trimSlashes(name)
  if (trimmed.includes('/')) throw refuse('namespace-name-slash')
  if (trimmed === '') throw refuse('namespace-name-invalid')
  return `${parent.path}${trimmed}/`
}

function storeNamespace(world: World, before: Namespace, metadata: CustomMetadata): Namespace {
  const namespace = { ...before, custom_metadata: storedCustomMetadata(metadata) ?? {} }
  world.write(() => world.table(namespaces).put(namespace.path, namespace))
  return namespace
}

/**
 * Generates an unused namespace id. Each namespace has a mount `sys/`, whose row key begins with
 * the namespace id, so a missing key means that the id is unused.
 */
function generateId(world: World): string {
  for (;;) {
    const id = world.ids.base62(5)
    if (!world.table(mounts).has(mountKey(id, 'sys/'))) return id
  }
}
