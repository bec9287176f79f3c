import { createHash } from 'node:crypto'
import { int, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { namesOfDialect } from './options.ts'
import { policyRuleShape } from './role-rules.ts'

/** Kinds of objects that the engine makes in the orchestrator. */
const orchKinds = [
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
] as const

/** Whom a binding gives what a role allows. */
const orchSubjectShape = struct({
  kind: text,
  name: text,
  namespace: text,
})
export interface OrchSubject extends StoredOf<typeof orchSubjectShape> {}

/** An object of the simulated orchestrator. */
const orchObjectShape = struct({
  kind: word(...orchKinds),
  /** Of the orchestrator; empty for kinds of the whole cluster. */
  namespace: text,
  name: text,
  uid: text,
  labels: map(text),
  annotations: map(text),
  /** Milliseconds since 1970. */
  created_time: int,
  /** The id of the lease that it goes with. */
  lease: text,
  /** The rules of a role; null for other kinds. */
  rules: nullable(list(policyRuleShape)),
  /** The role that a binding binds; null for other kinds. */
  role_ref: nullable(
    struct({
      kind: word('Role', 'ClusterRole'),
      name: text,
    }),
  ),
  subjects: nullable(list(orchSubjectShape)),
})
export interface OrchObject extends StoredOf<typeof orchObjectShape> {}

/**
 * Everything that engines have made, by `<kind>/<namespace>/<name>`. A world has one orchestrator:
 * it is outside the service, so the mounts of engines do not part it.
 */
export const orchObjects = defineTable({
  service: 'secrets',
  name: 'orch-objects',
  shape: orchObjectShape,
})

/** Why the orchestrator did not do what it was asked; the message is its own. */
export class OrchestratorError extends Error {}

/** Where an object stands in the table. */
export function objectKey({
  kind,
  namespace,
  name,
}: Pick<OrchObject, 'kind' | 'namespace' | 'name'>) {
  return `${kind}/${namespace}/${name}`
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelForm = new RegExp(`^${label}$`)
const subdomainForm = new RegExp(`^${label}(\\.${label})*$`)

/** Tells whether a text can be the name of a namespace. */
function isNamespace(name: string): boolean {
  return name.length <= 63 && labelForm.test(name)
}

/** Refuses a name that service accounts cannot have, in the orchestrator's words. */
export function checkAccountName(name: string): void {
  if (name.length <= 253 && subdomainForm.test(name)) return
  const why =
    name.length > 253
      ? 'must be no more than 253 characters'
      : `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`
  throw new OrchestratorError(
    `ServiceAccount "${name}" is invalid: metadata.name: Invalid value: "${name}": ${why}`,
  )
}

/** Refuses a namespace that cannot exist; all others do. */
export function checkNamespace(name: string): void {
  if (!isNamespace(name)) throw new OrchestratorError(`namespaces "${name}" not found`)
}

/** Refuses objects of which one has a name that is taken. */
export function checkFree(
  world: World,
  objects: readonly Pick<OrchObject, 'kind' | 'namespace' | 'name'>[],
): void {
  for (const object of objects) {
    if (!world.table(orchObjects).has(objectKey(object))) continue
    throw new OrchestratorError(`${resources[object.kind]} "${object.name}" already exists`)
  }
}

const resources: Readonly<Record<OrchObject['kind'], string>> = {
  ServiceAccount: 'serviceaccounts',
  Role: 'roles.rbac.authorization',
  ClusterRole: 'clusterroles.rbac.authorization',
  RoleBinding: 'rolebindings.rbac.authorization',
  ClusterRoleBinding: 'clusterrolebindings.rbac.authorization',
}

/**
 * The uid of an account that the engine did not make: they all exist, and keep their uid. Refuses
 * those that an option takes away.
 */
export function existingAccount(world: World, namespace: string, name: string): string {
  const created = world
    .table(orchObjects)
    .get(objectKey({ kind: 'ServiceAccount', namespace, name }))
  if (created !== undefined) return created.uid
  const missing = optionsOf(world).orchMissingAccounts.includes(`${namespace}/${name}`)
  if (missing || !isNamespace(namespace)) {
    throw new OrchestratorError(`serviceaccounts "${name}" not found`)
  }
  return stableUuid(`${namespace}/${name}`)
}

/** The labels of a namespace: its name, as every orchestrator has it, and those of an option. */
export function namespaceLabels(world: World, name: string): Readonly<Record<string, string>> {
  const options = optionsOf(world)
  const provided = options.orchNamespaceLabels
  const configuredLabels = Object.hasOwn(provided, name) ? provided[name] : undefined
  return { ...configuredLabels, [`${namesOfDialect(options).domain}/metadata.name`]: name }
}

/** The same UUID for the same text in every world. */
function stableUuid(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const [, a, b, c, d, e] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(bytes.toString('hex')) ?? []
  return [a, b, c, d, e].join('-')
}
