import { quoteGo } from '../go/text.ts'
import { compareBytewise } from '../json/json.ts'
import type { Message } from '../kernel/message.ts'
import { fillDefaults } from '../kernel/shape/fill-defaults.ts'
import { any, bytes, goList, goMap, nullable, text, uint } from '../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../kernel/shape/members.ts'
import type { ParsedOf, StoredOf } from '../kernel/shape/values.ts'
import type { World } from '../kernel/worlds/world.ts'
import type { SchedulerCaller } from './acl/callers.ts'
import { hashOf } from './hashes.ts'
import { nextIndex, schedulerTable } from './indexes.ts'
import { message, refuse } from './messages.ts'
import { failedChecks, multiError } from './validation/errors.ts'

/** A stored namespace of jobs (behaviour/scheduler#namespaces). */
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
type InputNamespace = ParsedOf<typeof namespaceShape>

/** A namespace in a reply, with a hash. */
export const namespaceReplyShape = struct('Namespace', { ...namespaceShape.fields, Hash: bytes })

/**
 * Builds the reply for a namespace, with a hash. The configurations of node pools, secrets and
 * mesh, which only the product's enterprise edition has, are null.
 */
export function namespaceReply(row: Namespace): StoredOf<typeof namespaceReplyShape> {
  const { Name, Description, Quota, Capabilities, Meta, CreateIndex, ModifyIndex } = row
  const { EnabledTaskDrivers = null, DisabledTaskDrivers = null } = Capabilities ?? {}
  const { EnabledNetworkModes = null, DisabledNetworkModes = null } = Capabilities ?? {}
  const lists = [EnabledTaskDrivers, DisabledTaskDrivers, EnabledNetworkModes, DisabledNetworkModes]
  const sortedMeta = Object.entries(Meta ?? {}).sort(([a], [b]) => compareBytewise(a, b))
  return {
    Name,
    Description,
    Quota,
    Capabilities: Capabilities && {
      EnabledTaskDrivers,
      DisabledTaskDrivers,
      EnabledNetworkModes,
      DisabledNetworkModes,
    },
    NodePoolConfiguration: null,
    SecretsConfiguration: null,
    MeshConfiguration: null,
    Meta,
    Hash: hashOf([
      Name,
      Description,
      Quota,
      ...lists.flatMap((names) => names ?? []),
      ...sortedMeta.flat(),
    ]),
    CreateIndex,
    ModifyIndex,
  }
}

/** Namespaces by name. */
export const namespaces = schedulerTable('namespaces', namespaceShape, { secrets: 'none' })

export const namespaceTables = [namespaces] as const

/** The built-in namespace, which cannot be deleted. */
export const defaultNamespace = 'default'

export function findNamespace(world: World, name: string): Namespace | undefined {
  return world.table(namespaces).get(name)
}

/**
 * Returns the namespaces with a name prefix, ordered by name. Does not check the caller's rights.
 */
export function allNamespaces(world: World, prefix = ''): readonly Namespace[] {
  return Array.from(world.table(namespaces).rows(prefix)).sort((a, b) =>
    compareBytewise(a.Name, b.Name),
  )
}

/**
 * Returns the namespaces with a name prefix in which the caller has any capability, ordered by
 * name.
 */
export function visibleNamespaces(world: World, caller: SchedulerCaller, prefix = '') {
  return allNamespaces(world, prefix).filter(({ Name }) => caller.maySee(Name))
}

/**
 * Returns a namespace that the caller may see.
 *
 * @throws Refusal 403 if the caller has no capability in the namespace, 404 if the namespace does
 *   not exist
 */
export function readNamespace(world: World, caller: SchedulerCaller, name: string): Namespace {
  if (!caller.maySee(name)) throw refuse('permission-denied')
  const namespace = findNamespace(world, name)
  if (namespace === undefined) throw refuse('namespace-not-found')
  return namespace
}

/** Creates the namespace `default`. Must run inside a transaction. */
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

const namePattern = '^[a-zA-Z0-9-]{1,128}$'
const maxDescriptionBytes = 256

/**
 * Creates or updates a namespace (behaviour/scheduler#namespaces).
 *
 * @param pathName the name in the path, if any
 * @param authorize throws 403 if the caller may not write; called after the path is checked
 * @throws Refusal 400 if the name differs from that in the path, 500 for an invalid namespace and
 *   for a namespace with a quota
 */
export function putNamespace(
  world: World,
  input: InputNamespace,
  pathName?: string,
  authorize: () => void = () => {},
): Namespace {
  const namespace = fillDefaults(input, namespaceShape)
  const { Name } = namespace
  if (pathName !== undefined && pathName !== Name) {
    throw refuse('namespace-name-mismatch')
  }
  authorize()
  const problems = problemsOf(namespace)
  if (problems.length > 0) {
    throw refuse('namespace-invalid', { name: quoteGo(Name), errors: multiError(problems) })
  }
  // The mock has no quotas, so every quota name is unknown.
  if (namespace.Quota !== '') {
    const [name, quota] = [quoteGo(Name), quoteGo(namespace.Quota)]
    throw refuse('namespace-quota-unknown', { name, quota })
  }
  return world.write(() => {
    const index = nextIndex(world)
    const CreateIndex = findNamespace(world, Name)?.CreateIndex ?? index
    const row = { ...namespace, CreateIndex, ModifyIndex: index }
    world.table(namespaces).put(Name, row)
    return row
  })
}

function problemsOf(namespace: Namespace): readonly Message[] {
  const { Name, Description, NodePoolConfiguration } = namespace
  const { SecretsConfiguration, MeshConfiguration } = namespace
  return failedChecks(
    !new RegExp(namePattern).test(Name) &&
      message('namespace-name-invalid', { name: quoteGo(Name), pattern: namePattern }),
    Buffer.byteLength(Description) > maxDescriptionBytes &&
      message('description-too-long', { most: maxDescriptionBytes }),
    NodePoolConfiguration != null && message('namespace-pools-unlicensed'),
    SecretsConfiguration != null && message('namespace-secrets-unlicensed'),
    MeshConfiguration != null && message('namespace-mesh-unlicensed'),
  )
}
