import { compareBytewise } from '../json/json.ts'
import { any, goList, goMap, nullable, text, uint } from '../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import type { SchedulerCaller } from './acl/callers.ts'
import { nextIndex, schedulerTable } from './indexes.ts'
import { refuse } from './messages.ts'

/** A namespace of jobs (behaviour/scheduler#beyond). */
export const namespaceShape = struct('Namespace', {
  Name: text,
  Description: text,
  Quota: text,
  Capabilities: nullable(
    struct('NamespaceCapabilities', {
      EnabledTaskDrivers: goList(text),
      DisabledTaskDrivers: goList(text),
      EnabledNetworkModes: optional(goList(text)),
      DisabledNetworkModes: optional(goList(text)),
    }),
  ),
  NodePoolConfiguration: optional(any),
  SecretsConfiguration: vendorNamed('VaultConfiguration', optional(any)),
  MeshConfiguration: vendorNamed('ConsulConfiguration', optional(any)),
  Meta: goMap(text),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type Namespace = StoredOf<typeof namespaceShape>
export type InputNamespace = ParsedOf<typeof namespaceShape>

/** Namespaces by name. */
export const namespaces = schedulerTable('namespaces', namespaceShape)

/** All tables of this file. */
export const namespaceTables = [namespaces] as const

/** The namespace that always exists. */
export const defaultNamespace = 'default'

/** Returns the namespace with a name. */
export function findNamespace(world: World, name: string): Namespace | undefined {
  return world.table(namespaces).get(name)
}

/** Returns the namespaces by name prefix, ordered by name. */
export function allNamespaces(world: World, prefix = ''): readonly Namespace[] {
  return Array.from(world.table(namespaces).rows(prefix)).sort((a, b) =>
    compareBytewise(a.Name, b.Name),
  )
}

/** Returns the namespaces in which the caller has any capability. */
export function visibleNamespaces(
  world: World,
  caller: SchedulerCaller,
  prefix = '',
): readonly Namespace[] {
  return allNamespaces(world, prefix).filter(({ Name }) => caller.maySee(Name))
}

/**
 * Returns a namespace for a caller.
 *
 * @throws Refusal 403 if the caller has no capability in it, 404 if it is unknown
 */
export function readNamespace(world: World, caller: SchedulerCaller, name: string): Namespace {
  if (!caller.maySee(name)) throw refuse('permission-denied')
  const namespace = findNamespace(world, name)
  if (namespace === undefined) throw refuse('namespace-not-found')
  return namespace
}

/** Creates the namespace of a fresh world; part of the seed's transaction. */
export function seedNamespaces(world: World): void {
  const index = nextIndex(world)
  world.table(namespaces).put(defaultNamespace, {
    Name: defaultNamespace,
    Description: 'Default shared namespace',
    Quota: '',
    Capabilities: null,
    Meta: null,
    CreateIndex: index,
    ModifyIndex: index,
  })
}
