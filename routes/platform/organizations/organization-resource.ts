import { bool, constant, int, nullable } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Caller,
  hasRight,
  isMember,
  isOrganizationToken,
  isOwner,
  type PlatformRight,
} from '../../../state/platform/accounts/callers.ts'
import {
  type Organization,
  organizationAttributes,
  switchDefaults,
} from '../../../state/platform/organizations/organizations.ts'
import { defaultProject } from '../../../state/platform/projects/projects.ts'
import { settingsWithDefaults } from '../../../state/platform/settings/settings.ts'
import { mayCreateWorkspaces } from '../../../state/platform/workspaces/rights.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  flags,
  identifierOf,
  linkShape,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'

const type = 'organizations'
const entitlementType = 'entitlement-sets'

/**
 * Team permission that each permission on an organization requires; `owner` stands for owner
 * rights.
 */
const permissionRights = {
  'can-update': 'owner',
  'can-destroy': 'owner',
  'can-create-module': 'manage-modules',
  'can-create-team': 'manage-teams',
  'can-create-project': 'manage-projects',
  'can-create-provider': 'manage-providers',
  'can-manage-run-tasks': 'manage-run-tasks',
  'can-read-run-tasks': 'manage-run-tasks',
  'can-manage-users': 'manage-membership',
  'can-manage-tags': 'manage-workspaces',
  'can-manage-varsets': 'manage-workspaces',
  'can-update-oauth': 'manage-vcs-settings',
  'can-update-sentinel': 'manage-policies',
  'can-update-ssh-keys': 'manage-vcs-settings',
  'can-update-agent-pools': 'manage-agent-pools',
  'can-deploy-no-code-modules': 'manage-workspaces',
  'can-manage-no-code-modules': 'manage-modules',
  'can-enable-stacks': 'owner',
} as const satisfies Readonly<Record<string, PlatformRight | 'owner'>>

const permissions = Object.entries(permissionRights)

const permissionNames = [
  ...Object.keys(permissionRights),
  'can-create-workspace',
  'can-create-workspace-migration',
  'can-access-via-teams',
  'can-read-varsets',
  'can-manage-public-modules',
  'can-manage-public-providers',
  'can-traverse',
  'can-update-api-token',
]

/** Permissions of owners, who have every permission. */
const ownerPermissions: Readonly<Record<string, boolean>> = Object.fromEntries(
  permissionNames.map((name) => [name, true]),
)

const organizationRenderer = attributeRenderer({
  ...organizationAttributes,
  saml_enabled: bool,
  two_factor_conformant: bool,
  is_unified: bool,
  fair_run_queuing_enabled: bool,
  remaining_testable_count: int,
})

/** Values of attributes that were never set or that this edition does not have. */
const defaultAttributes = {
  ...switchDefaults,
  owners_team_saml_role_id: null,
  two_factor_conformant: false,
  is_unified: false,
  fair_run_queuing_enabled: false,
  remaining_testable_count: 0,
} as const

const attributes = struct({
  ...organizationRenderer.shape.fields,
  'trial-expires-at': constant(null),
  permissions: flags(permissionNames),
})

/** Shape of an organization in replies (behaviour/platform#surroundings). */
export const organizationShape = resourceShape(type, attributes, {
  links: selfLink,
  relationships: struct({
    'authentication-token': linkShape,
    'default-project': struct({ data: nullable(identifierOf('projects')) }),
    'entitlement-set': relationOf(entitlementType),
    'default-agent-pool': struct({ data: nullable(identifierOf('agent-pools')) }),
    'oauth-tokens': linkShape,
    'module-producers': linkShape,
    subscription: struct({ data: constant(null) }),
  }),
})

/** Renders an organization with the caller's permissions. */
export function organizationResource(
  world: World,
  organization: Organization,
  caller: Caller,
): Resource {
  const { name, external_id, default_agent_pool: pool = null } = organization
  const self = `/api/v2/organizations/${name}`
  const project = defaultProject(world, name)
  const saml_enabled = settingsWithDefaults(world, 'saml', { enabled: false }).enabled
  const rendered = organizationRenderer.render({
    saml_enabled,
    ...defaultAttributes,
    ...organization,
  })
  rendered['trial-expires-at'] = null
  rendered['permissions'] = permissionsOf(world, name, caller)
  return {
    id: name,
    type,
    attributes: rendered,
    relationships: {
      'authentication-token': { links: { related: `${self}/authentication-token` } },
      'default-project': {
        data: project === undefined ? null : { id: project.id, type: 'projects' },
      },
      'entitlement-set': {
        data: { id: external_id, type: entitlementType },
        links: { related: `${self}/entitlement-set` },
      },
      'default-agent-pool': { data: pool === null ? null : { id: pool, type: 'agent-pools' } },
      'oauth-tokens': { links: { related: `${self}/oauth-tokens` } },
      'module-producers': { links: { related: `${self}/relationships/module-producers` } },
      subscription: { data: null },
    },
    links: { self },
  }
}

function permissionsOf(world: World, name: string, caller: Caller) {
  if (isOwner(world, caller, name)) return ownerPermissions
  const permissionMap: Record<string, boolean> = {}
  for (const [permission, right] of permissions) {
    permissionMap[permission] = right !== 'owner' && hasRight(world, caller, name, right)
  }
  const createsWorkspaces = mayCreateWorkspaces(world, caller, name)
  permissionMap['can-create-workspace'] = createsWorkspaces
  permissionMap['can-create-workspace-migration'] = createsWorkspaces
  if (isOrganizationToken(caller, name)) permissionMap['can-update-ssh-keys'] = false
  permissionMap['can-access-via-teams'] = isMember(world, caller, name)
  permissionMap['can-read-varsets'] = permissionMap['can-manage-varsets'] === true
  permissionMap['can-manage-public-modules'] = permissionMap['can-create-module'] === true
  permissionMap['can-manage-public-providers'] = permissionMap['can-create-provider'] === true
  permissionMap['can-traverse'] = true
  permissionMap['can-update-api-token'] = isOrganizationToken(caller, name)
  return permissionMap
}

/** Entitlements that an organization has: all those of the self-hosted edition. */
const grantedEntitlements = [
  'agents',
  'assessments',
  'audit-logging',
  'configuration-designer',
  'cost-estimation',
  'drift-detection',
  'global-run-tasks',
  'module-tests-generation',
  'no-code-modules',
  'operations',
  'policy-enforcement',
  'private-module-registry',
  'private-policy-agents',
  'private-run-tasks',
  'private-vcs',
  'run-tasks',
  'self-serve-billing',
  'sentinel',
  'sso',
  'state-storage',
  'teams',
  'usage-reporting',
  'vcs-integrations',
]

/** Entitlements that only the hosted edition has; always false. */
const withheldEntitlements = [
  'infragraph',
  'infragraph-with-nrtu',
  'stacks',
  'waypoint-actions',
  'waypoint-templates-and-addons',
]

/** Names of limits. All limits of an organization are null. */
const limits = [
  'policy-limit',
  'policy-mandatory-enforcement-limit',
  'policy-set-limit',
  'run-task-limit',
  'run-task-mandatory-enforcement-limit',
  'run-task-workspace-limit',
  'user-limit',
  'versioned-policy-set-limit',
]

const entitlements: Readonly<Record<string, boolean | null>> = Object.fromEntries([
  ...grantedEntitlements.map((name) => [name, true]),
  ...withheldEntitlements.map((name) => [name, false]),
  ...limits.map((name) => [name, null]),
])

export const entitlementShape = resourceShape(
  entitlementType,
  struct(
    Object.fromEntries(
      Object.entries(entitlements).map(([name, value]) => [
        name,
        value === null ? nullable(int) : bool,
      ]),
    ),
  ),
  { links: selfLink },
)

export function entitlementResource({ external_id }: Organization): Resource {
  return {
    id: external_id,
    type: entitlementType,
    attributes: entitlements,
    links: { self: `/api/v2/entitlement-sets/${external_id}` },
  }
}
