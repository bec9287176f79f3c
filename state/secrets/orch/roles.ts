import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { bool, list, map, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, MountRow, NamedRows, walField } from '../mounts/mounts.ts'
import { optionsOf } from '../options.ts'
import { secretsTable } from '../table.ts'
import { parseLabelSelector } from './label-selector.ts'
import { refuse } from './messages.ts'
import { checkNameTemplate } from './name-template.ts'
import { parseRoleRules } from './role-rules.ts'

/** Configuration of an engine (behaviour/secrets#api-orch). */
const orchConfigShape = struct({
  /** URL of the orchestrator's API; if empty, the host in the pod's environment is used. */
  orch_host: text,
  /** CA certificates in PEM format; if empty, the pod's certificates are used. */
  orch_ca_cert: text,
  /**
   * Token of the engine's service account; if empty, the pod's token is used. No reply contains it.
   */
  service_account_jwt: text,
  /** Whether to ignore the CA certificate and the token in the pod. */
  disable_local_ca_jwt: bool,
  ...walField,
})
export interface OrchConfig extends StoredOf<typeof orchConfigShape> {}

/** Configurations by `<mount uuid>/`. */
export const orchConfigTable = secretsTable('orch-configs', orchConfigShape, {
  secrets: { members: ['service_account_jwt'] },
})

export const orchConfigs = new MountRow(orchConfigTable, () => refuse('orch-not-configured'))

const defaults: OrchConfig = {
  orch_host: '',
  orch_ca_cert: '',
  service_account_jwt: '',
  disable_local_ca_jwt: false,
}

/**
 * Changes the configuration. Members that are left out keep their values.
 * @throws Refusal `invalid` if neither the change nor the pod's environment defines the host
 *   (behaviour/secrets#orch-config)
 */
export function writeOrchConfig(world: World, mount: Mount, change: Partial<OrchConfig>): void {
  if (!definesHost(world, change) && hostOfPod(world) === undefined) throw refuse('orch-host-unset')
  orchConfigs.put(world, mount, { ...defaults, ...orchConfigs.find(world, mount), ...change })
}

/**
 * Returns whether a change defines the host. In the vendor dialect, also returns true for an empty
 * host, because the product accepts an empty host.
 */
function definesHost(world: World, { orch_host }: Partial<OrchConfig>): boolean {
  if (orch_host === undefined) return false
  return orch_host !== '' || optionsOf(world).orchWords === 'vendor'
}

/** The connection of an engine to the orchestrator after applying all defaults. */
export interface OrchConnection {
  readonly host: string
  /** Source of the CA certificates: the configuration, the pod or the operating system. */
  readonly ca: 'config' | 'pod' | 'system'
  /** Source of the token with which the engine authenticates itself. */
  readonly token: 'config' | 'pod' | 'none'
}

/**
 * Applies defaults from the pod's environment to a configuration.
 * @throws Refusal `invalid` if neither the configuration nor the environment defines the host
 */
export function connectionOf(world: World, config: OrchConfig): OrchConnection {
  const { orchLocalCaCert, orchLocalToken } = optionsOf(world)
  const host = config.orch_host || hostOfPod(world)
  if (host === undefined) throw refuse('orch-host-undetermined')
  const isInPod = (file: string) => file !== '' && !config.disable_local_ca_jwt
  return {
    host,
    ca: config.orch_ca_cert !== '' ? 'config' : isInPod(orchLocalCaCert) ? 'pod' : 'system',
    token: config.service_account_jwt !== '' ? 'config' : isInPod(orchLocalToken) ? 'pod' : 'none',
  }
}

/**
 * Returns the connection of a mount's engine to the orchestrator.
 * @throws Refusal `invalid` if the mount is not configured or has no host
 */
export function connectMount(world: World, mount: Mount): OrchConnection {
  const config = orchConfigs.find(world, mount)
  if (config === undefined) throw refuse('orch-config-missing')
  return connectionOf(world, config)
}

/**
 * Returns the URL of the orchestrator from the pod's environment. Returns undefined if the host or
 * the port is unset.
 */
function hostOfPod(world: World): string | undefined {
  const { orchServiceHost, orchServicePort } = optionsOf(world)
  if (orchServiceHost === '' || orchServicePort === '') return undefined
  return `https://${orchServiceHost}:${orchServicePort}`
}

/**
 * Checks that the pod's environment defines the orchestrator's host and port.
 * @throws Refusal `invalid` if the host or the port is missing
 */
export function checkPodEnvironment(world: World): void {
  const { orchServiceHost, orchServicePort } = optionsOf(world)
  if (orchServiceHost === '' && orchServicePort === '') throw refuse('orch-environment-missing')
  if (orchServiceHost === '') throw refuse('orch-host-missing')
  if (orchServicePort === '') throw refuse('orch-port-missing')
}

/** Labels or annotations by name. */
type Tags = Readonly<Record<string, string>>

/** A role of an engine (behaviour/secrets#api-orch). TTLs are in seconds; 0 means unset. */
const orchRoleShape = struct({
  /** Name in lower case. */
  name: text,
  /**
   * Allowed namespaces of the orchestrator, in lower case, sorted and without duplicates; `*`
   * allows all.
   */
  allowed_orch_namespaces: list(text),
  /**
   * Label selector, as JSON or YAML; an empty string means no selector. Namespaces that match the
   * selector are allowed in addition to those in `allowed_orch_namespaces`.
   */
  allowed_orch_namespace_selector: text,
  token_default_ttl: uint,
  token_max_ttl: uint,
  /** Default audiences of tokens; null if unset. */
  token_default_audiences: nullable(list(text)),
  /**
   * Name of an existing service account. Exactly one of `service_account_name`, `orch_role_name`
   * and `generated_role_rules` is set.
   */
  service_account_name: text,
  /** Name of an existing role in the orchestrator. */
  orch_role_name: text,
  generated_role_rules: text,
  orch_role_type: word('Role', 'ClusterRole'),
  /** Template for the names of created objects; empty for the default template. */
  name_template: text,
  extra_labels: nullable(map(text)),
  extra_annotations: nullable(map(text)),
  ...walField,
})
export interface OrchRole extends StoredOf<typeof orchRoleShape> {}

/** Roles by `<mount uuid>/<name in lower case>`. */
export const orchRoleTable = secretsTable('orch-roles', orchRoleShape, { secrets: 'none' })

export const orchRoles = new NamedRows(orchRoleTable, () => refuse('orch-role-absent'))

/** A change of a role; members that are left out keep their values. */
type OrchRoleChange = Partial<Omit<OrchRole, 'name' | 'orch_role_type'>> & {
  /** Case-insensitive; an empty string means `Role`. */
  readonly orch_role_type?: string
  /**
   * Labels and annotations in the format of early releases of the product. The members
   * `extra_labels` and `extra_annotations` override these values.
   */
  readonly additional_metadata?: JsonObject
}

/**
 * Creates or changes a role.
 * @throws Refusal `invalid`: first for `additional_metadata`, then in the order of
 *   behaviour/secrets#orch-roles
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
  checkModes(merged)
  checkTtls(merged)
  const role: OrchRole = {
    ...merged,
    allowed_orch_namespaces: namespaces,
    orch_role_type: roleType(type),
  }
  if (selector !== '') parseLabelSelector(selector)
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
 * Trims namespaces, converts them to lower case, sorts them, and drops empty ones and duplicates,
 * as the reference does.
 */
function normalizeNamespaces(namespaces: readonly string[]): string[] {
  const names = namespaces.map((name) => name.trim().toLowerCase()).filter((name) => name !== '')
  return [...new Set(names)].sort()
}

function checkModes(role: OrchRole): void {
  const { service_account_name, orch_role_name, generated_role_rules } = role
  const modeFields = [service_account_name, orch_role_name, generated_role_rules]
  if (modeFields.filter((value) => value !== '').length === 1) return
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

/**
 * Splits `additional_metadata` into labels and annotations.
 * @throws Refusal for other members, and for values other than null and objects of strings
 */
function metadataOf(metadata: JsonObject | undefined) {
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
