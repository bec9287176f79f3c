import { bool, int, nullable } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  type Caller,
  hasRight,
  isMember,
  isOrganizationItself,
  isOwner,
} from '../../../state/platform/accounts/callers.ts'
import {
  type Organization,
  organizationTold,
} from '../../../state/platform/organizations/organizations.ts'
import { settingsOf } from '../../../state/platform/settings/settings.ts'
import {
  flags,
  linkShape,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { telling } from '../json-api/telling.ts'

const type = 'organizations'
const entitlementType = 'entitlement-sets'

const permissionNames = [
  'can-update',
  'can-destroy',
  'can-access-via-teams',
  'can-create-module',
  'can-create-team',
  'can-create-workspace',
  'can-manage-users',
  'can-update-oauth',
  'can-update-api-token',
  'can-traverse',
] as const

const told = telling(organizationTold)

const attributes = struct({
  ...told.shape.fields,
  'saml-enabled': bool,
  permissions: flags(permissionNames),
})

/** An organization (2-platform-decisions.md section 5.2). */
export const organizationShape = resourceShape(type, attributes, {
  links: selfLink,
  relationships: struct({
    'authentication-token': linkShape,
    'entitlement-set': relationOf(entitlementType),
  }),
})

/** An organization; permissions are the caller's. */
export function organizationResource(
  world: World,
  organization: Organization,
  caller: Caller,
): Resource {
  const { name, external_id } = organization
  const self = `/api/v2/organizations/${name}`
  const owns = isOwner(world, caller, name)
  return {
    id: name,
    type,
    attributes: {
      ...told.of(organization),
      'saml-enabled': settingsOf(world, 'saml', { enabled: false }).enabled,
      permissions: {
        'can-update': owns,
        'can-destroy': owns,
        'can-access-via-teams': isMember(world, caller, name),
        'can-create-module': hasRight(world, caller, name, 'manage-modules'),
        'can-create-team': hasRight(world, caller, name, 'manage-teams'),
        'can-create-workspace': hasRight(world, caller, name, 'manage-workspaces'),
        'can-manage-users': hasRight(world, caller, name, 'manage-membership'),
        'can-update-oauth': hasRight(world, caller, name, 'manage-vcs-settings'),
        'can-update-api-token': owns || isOrganizationItself(caller, name),
        'can-traverse': true,
      },
    },
    relationships: {
      'authentication-token': { links: { related: `${self}/authentication-token` } },
      'entitlement-set': {
        data: { id: external_id, type: entitlementType },
        links: { related: `${self}/entitlement-set` },
      },
    },
    links: { self },
  }
}

/** Entitlements of an organization: all of them, as in the self-hosted edition. */
const entitlements = {
  agents: true,
  'audit-logging': true,
  'configuration-designer': true,
  'cost-estimation': true,
  operations: true,
  'private-module-registry': true,
  'run-tasks': true,
  sentinel: true,
  sso: true,
  'state-storage': true,
  teams: true,
  'usage-reporting': true,
  'user-limit': null,
  'vcs-integrations': true,
} as const

/** The entitlements of an organization. */
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

/** The entitlements of an organization. */
export function entitlementResource({ external_id }: Organization): Resource {
  return {
    id: external_id,
    type: entitlementType,
    attributes: entitlements,
    links: { self: `/api/v2/entitlement-sets/${external_id}` },
  }
}
