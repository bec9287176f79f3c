import { createHash } from 'node:crypto'
import { int, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { namesOfDialect } from './options.ts'
import { parseRoleRules, policyRuleShape } from './role-rules.ts'
import type { OrchRole } from './roles.ts'

/** Kinds of objects that the engine creates in the orchestrator. */
const orchKinds = [
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
] as const

/** A service account or other subject to which a binding grants a role. */
const orchSubjectShape = struct({ kind: text, name: text, namespace: text })
export interface OrchSubject extends StoredOf<typeof orchSubjectShape> {}

/** An object that an engine created in the simulated orchestrator. */
const orchObjectShape = struct({
  kind: word(...orchKinds),
  /** Namespace of the orchestrator; empty for cluster-wide kinds. */
  namespace: text,
  name: text,
  uid: text,
  labels: map(text),
  annotations: map(text),
  /** Instant in milliseconds since 1970. */
  created_time: int,
  /** Id of the lease whose end deletes the object. */
  lease: text,
  /** The rules of a role; null for other kinds. */
  rules: nullable(list(policyRuleShape)),
  /** The role of a binding; null for other kinds. */
  role_ref: nullable(struct({ kind: word('Role', 'ClusterRole'), name: text })),
  subjects: nullable(list(orchSubjectShape)),
})
export interface OrchObject extends StoredOf<typeof orchObjectShape> {}

/**
 * Objects that engines have created, by `<kind>/<namespace>/<name>`. All mounts share these
 * objects, because a world has only one orchestrator, outside the secrets service.
 */
export const orchObjects = secretsTable('orch-objects', orchObjectShape, { secrets: 'none' })

/** An error that the orchestrator would report, with the orchestrator's message. */
export class OrchestratorError extends Error {}

/** Returns the key of an object in `orchObjects`. */
export function objectKey({
  kind,
  namespace,
  name,
}: Pick<OrchObject, 'kind' | 'namespace' | 'name'>) {
  return `${kind}/${namespace}/${name}`
}

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelForm = new RegExp(`^${labelPattern}$`)
const subdomainForm = new RegExp(`^${labelPattern}(\\.${labelPattern})*$`)

function isNamespace(name: string): boolean {
  return name.length <= 63 && labelForm.test(name)
}

/**
 * Checks the name of a service account.
 * @throws OrchestratorError for a name that is too long or not a lowercase RFC 1123 subdomain
 */
export function checkAccountName(name: string): void {
  if (name.length <= 253 && subdomainForm.test(name)) return
  const why =
    name.length > 253
      ? 'must be no more than 253 characters'
      : `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${labelPattern}(\\.${labelPattern})*')`
  throw new OrchestratorError(
    `ServiceAccount "${name}" is invalid: metadata.name: Invalid value: "${name}": ${why}`,
  )
}

/**
 * Checks the name of a namespace. Every namespace with a valid name exists in the simulation.
 * @throws OrchestratorError for an invalid name
 */
export function checkNamespace(name: string): void {
  if (!isNamespace(name)) throw new OrchestratorError(`namespaces "${name}" not found`)
}

/**
 * Checks that none of the given objects exists.
 * @throws OrchestratorError if one of the objects exists already
 */
export function checkNoneExists(
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
 * Returns the UID of a service account. An account that no engine created also exists, with the
 * same UID in all worlds, unless the option `orchMissingAccounts` lists it.
 * @throws OrchestratorError for a missing account and an invalid namespace
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

/**
 * Returns the labels of a namespace: those from the option `orchNamespaceLabels`, and the label
 * that every orchestrator sets to the name of the namespace.
 */
export function namespaceLabels(world: World, name: string): Readonly<Record<string, string>> {
  const options = optionsOf(world)
  const provided = options.orchNamespaceLabels
  const configuredLabels = Object.hasOwn(provided, name) ? provided[name] : undefined
  return { ...configuredLabels, [`${namesOfDialect(options).domain}/metadata.name`]: name }
}

/** Derives a UUID from a string, so that worlds with different seeds have equal UUIDs. */
function stableUuid(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const [, a, b, c, d, e] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(bytes.toString('hex')) ?? []
  return [a, b, c, d, e].join('-')
}

/** Parameters of the objects that an engine creates for one set of credentials. */
interface ObjectPlan {
  readonly role: OrchRole
  /** Namespace of the orchestrator. */
  readonly namespace: string
  /** Name of all created objects. */
  readonly name: string
  /** Whether the binding applies to the whole cluster. */
  readonly isClusterWide: boolean
}

type NewObject = Omit<OrchObject, 'lease'>

/**
 * Builds the objects that an engine creates for credentials: the account and its binding. If the
 * engine's role names no existing role of the orchestrator, also builds a role with the rules of
 * the engine's role (behaviour/secrets#api-orch).
 */
export function objectsFor(world: World, objectPlan: ObjectPlan): readonly NewObject[] {
  const { role, namespace, name, isClusterWide } = objectPlan
  const { orch_role_name, orch_role_type, generated_role_rules } = role
  const object = (kind: OrchObject['kind'], overrides: Partial<NewObject> = {}): NewObject => ({
    kind,
    namespace,
    name,
    uid: world.ids.uuid(),
    // The engine's labels come last, so that roles cannot override them.
    labels: { ...role.extra_labels, ...namesOfDialect(optionsOf(world)).labels },
    annotations: { ...role.extra_annotations },
    created_time: world.clock.now(),
    rules: null,
    role_ref: null,
    subjects: null,
    ...overrides,
  })
  const clusterScope = { namespace: '' }
  const binding: Partial<NewObject> = {
    role_ref: { kind: orch_role_type, name: orch_role_name || name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
  const newObjects = [
    isClusterWide
      ? object('ClusterRoleBinding', { ...binding, ...clusterScope })
      : object('RoleBinding', binding),
    object('ServiceAccount'),
  ]
  if (orch_role_name !== '') return newObjects
  const rules = parseRoleRules(generated_role_rules)
  const scope = orch_role_type === 'ClusterRole' ? clusterScope : {}
  return [object(orch_role_type, { rules, ...scope }), ...newObjects]
}
