import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { list, map, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { parseLabelSelector } from './label-selector.ts'
import { refuse } from './messages.ts'
import { checkNameTemplate } from './name-template.ts'
import { parseRoleRules } from './role-rules.ts'

/** Labels or annotations. */
type Tags = Readonly<Record<string, string>>

/** A role of an engine (behaviour/secrets#api-orch). TTLs in seconds, 0 if unset. */
const orchRoleShape = struct({
  /** Lower case. */
  name: text,
  /** Lower case, sorted, without duplicates; `*` for all. */
  allowed_orch_namespaces: list(text),
  /** Label selector for further namespaces, as JSON or YAML; empty for none. */
  allowed_orch_namespace_selector: text,
  token_default_ttl: uint,
  token_max_ttl: uint,
  /** Null until it is set. */
  token_default_audiences: nullable(list(text)),
  /** Exactly one of these three is not empty: an existing account, an existing role, rules. */
  service_account_name: text,
  orch_role_name: text,
  generated_role_rules: text,
  orch_role_type: word('Role', 'ClusterRole'),
  /** Empty for the default template. */
  name_template: text,
  extra_labels: nullable(map(text)),
  extra_annotations: nullable(map(text)),
  ...walField,
})
export interface OrchRole extends StoredOf<typeof orchRoleShape> {}

/** Roles by mount and name. */
export const orchRoleTable = secretsTable('orch-roles', orchRoleShape)

/** The roles of each mount; names are case-insensitive. */
export const orchRoles = new NamedRows(orchRoleTable, () => refuse('orch-role-absent'))

/** A change of a role; members that are left out keep their values. */
type OrchRoleChange = Partial<Omit<OrchRole, 'name' | 'orch_role_type'>> & {
  /** Case-insensitive. */
  readonly orch_role_type?: string
  /** Labels and annotations in the form of early releases; the `extra_` members override them. */
  readonly additional_metadata?: JsonObject
}

/**
 * Creates or changes a role and checks the result. Refuses with `invalid`, in the order of
 * behaviour/secrets#orch-roles.
 */
export function writeOrchRole(
  world: World,
  mount: Mount,
  name: string,
  change: OrchRoleChange,
): void {
  const { additional_metadata, orch_role_type, ...plain } = change
  const before = orchRoles.find(world, mount, name) ?? newRole(name)
  const merged = { ...before, ...metadataOf(additional_metadata), ...plain }
  const namespaces = normalizeNamespaces(merged.allowed_orch_namespaces)
  const type = orch_role_type ?? before.orch_role_type
  const selector = merged.allowed_orch_namespace_selector
  if (namespaces.length === 0 && selector === '') throw refuse('orch-namespaces-missing')
  if (selector !== '') parseLabelSelector(selector)
  checkModes(merged)
  checkTtls(merged)
  const role: OrchRole = {
    ...merged,
    allowed_orch_namespaces: namespaces,
    orch_role_type: roleType(type),
  }
  if (role.generated_role_rules !== '') parseRoleRules(role.generated_role_rules)
  checkNameTemplate(role.name_template)
  orchRoles.put(world, mount, name, role)
}

function newRole(name: string): OrchRole {
  return {
    name: name.toLowerCase(),
    allowed_orch_namespaces: [],
    allowed_orch_namespace_selector: '',
    token_default_ttl: 0,
    token_max_ttl: 0,
    token_default_audiences: null,
    service_account_name: '',
    orch_role_name: '',
    generated_role_rules: '',
    orch_role_type: 'Role',
    name_template: '',
    extra_labels: null,
    extra_annotations: null,
  }
}

/**
 * Converts namespaces to lower case, sorts them and removes duplicates, as the reference stores
 * them.
 */
function normalizeNamespaces(namespaces: readonly string[]): string[] {
  const names = namespaces.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  return [...new Set(names)].sort()
}

function checkModes(role: OrchRole): void {
  const { service_account_name, orch_role_name, generated_role_rules } = role
  const provided = [service_account_name, orch_role_name, generated_role_rules]
  if (provided.filter((value) => value !== '').length === 1) return
  throw refuse('orch-role-modes')
}

function checkTtls({ token_default_ttl, token_max_ttl }: OrchRole): void {
  if (token_max_ttl === 0 || token_default_ttl <= token_max_ttl) return
  const defaultTtl = formatGoDuration(token_default_ttl * SECOND)
  const most = formatGoDuration(token_max_ttl * SECOND)
  throw refuse('orch-role-ttl-above-max', { usual: defaultTtl, most })
}

function roleType(type: string): OrchRole['orch_role_type'] {
  switch (type.toLowerCase()) {
    case '':
    case 'role':
      return 'Role'
    case 'clusterrole':
      return 'ClusterRole'
    default:
      throw refuse('orch-role-type-unknown')
  }
}

/** Splits `additional_metadata` into labels and annotations; refuses unknown members. */
function metadataOf(
  metadata: JsonObject | undefined,
): Pick<OrchRoleChange, 'extra_labels' | 'extra_annotations'> {
  if (metadata === undefined) return {}
  const { labels, annotations, ...others } = metadata
  if (Object.keys(others).length > 0) throw refuseMetadata()
  return {
    ...(labels === undefined ? {} : { extra_labels: tagsOf(labels) }),
    ...(annotations === undefined ? {} : { extra_annotations: tagsOf(annotations) }),
  }
}

function tagsOf(value: Json): Tags | null {
  if (value === null) return null
  if (!isJsonObject(value)) throw refuseMetadata()
  return Object.fromEntries(
    Object.entries(value).map(([key, tag]) => {
      if (typeof tag !== 'string') throw refuseMetadata()
      return [key, tag]
    }),
  )
}

function refuseMetadata() {
  return refuse('additional-metadata-invalid')
}
