import { bool, int, list, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, vendorNamed } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { users } from '../../../state/platform/accounts/users.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  administerOrganization,
  administrationOf,
  moduleConsumersOf,
  moduleProducersOf,
  setModuleConsumers,
} from '../../../state/platform/organizations/administration.ts'
import { deleteOrganization } from '../../../state/platform/organizations/changes.ts'
import {
  administrationAttributes,
  type Organization,
  organizations,
} from '../../../state/platform/organizations/organizations.ts'
import { ownersTeam, teamNamed } from '../../../state/platform/organizations/teams.ts'
import { invalidAttributes, violation } from '../../../state/platform/violations.ts'
import { containsPart } from '../../../state/platform/wildcard.ts'
import { ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  inState,
  openQuery,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { identifiersIn } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { toMany } from '../json-api/relations.ts'
import {
  inDialect,
  linkShape,
  listOf,
  optionalRelationOf,
  type Resource,
  relationsOf,
  resourceShape,
  selfLink,
  unpagedListOf,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Rendering, type Scope } from '../operation.ts'
import { organizationResource, organizationShape } from '../organizations/organization-resource.ts'
import { findOrganization } from '../organizations/scopes.ts'
import { adminUserResource, adminUserShape } from './user-resource.ts'

const type = 'organizations'
const renderer = attributeRenderer(administrationAttributes)

const oldTimeoutField = (phase: string) =>
  described(
    vendorNamed(`terraform-build-worker-${phase}-timeout`, nullable(text)),
    `Older name of \`${phase}-timeout\``,
  )

const attributes = struct({
  ...renderer.shape.fields,
  'infra-build-worker-apply-timeout': oldTimeoutField('apply'),
  'infra-build-worker-plan-timeout': oldTimeoutField('plan'),
  name: text,
  'notification-email': text,
  'external-id': text,
  'sso-enabled': bool,
})

export const adminOrganizationShape = resourceShape(type, attributes, {
  relationships: struct({
    owners: relationsOf('users'),
    'module-consumers': linkShape,
    subscription: optionalRelationOf('subscriptions'),
    'feature-set': optionalRelationOf('feature-sets'),
  }),
  links: selfLink,
})

const adminPath = '/admin/organizations/:organization_name'

/** Returns the users in the owners team of an organization. */
function ownersOf(world: World, { name }: Organization) {
  const { members = [] } = { ...teamNamed(world, name, ownersTeam) }
  return members.map((id) => world.table(users).get(id)).filter((user) => user !== undefined)
}

/**
 * Renders the owners of an organization for site admins. Returns an empty list without an
 * organization.
 */
export function adminOwners(
  world: World,
  organization: Organization | undefined,
): readonly Resource[] {
  if (organization === undefined) return []
  return ownersOf(world, organization).map((user) => adminUserResource(world, user))
}

export function adminOrganizationResource(
  organization: Organization,
  { world, dialect }: Pick<PlatformContext<unknown>, 'world' | 'dialect'>,
): Resource {
  const { name, email, external_id } = organization
  const administration = administrationOf(organization)
  const related = `/api/v2/admin/organizations/${name}/relationships/module-consumers`
  const resource: Resource = {
    id: name,
    type,
    attributes: {
      ...renderer.render(administration),
      'infra-build-worker-apply-timeout': administration.apply_timeout,
      'infra-build-worker-plan-timeout': administration.plan_timeout,
      name,
      'notification-email': email,
      'external-id': external_id,
      'sso-enabled': false,
    },
    relationships: {
      owners: toMany(
        'users',
        ownersOf(world, organization).map(({ id }) => id),
      ),
      'module-consumers': { links: { related } },
      subscription: { data: null },
      'feature-set': { data: null },
    },
    links: { self: `/api/v2/organizations/${name}` },
  }
  return inDialect(resource, attributes, dialect)
}

const inclusions = inclusionsOf<Organization>(
  {
    owners: {
      find: (organization, { world }) => adminOwners(world, organization),
    },
  },
  [adminUserShape],
)

const listQuery = openQuery({
  ...inclusions.query,
  q: described(text, 'Part of a name or an email'),
  'q[name]': described(text, 'Part of a name'),
  'q[email]': described(text, 'Part of an email'),
  'filter[module_producer]': described(text, '`true` for only organizations that share modules'),
})

const form = {
  type,
  attributes: optionalMembers({
    name: strictText,
    'notification-email': strictText,
    'access-beta-tools': strictFlag,
    'is-disabled': strictFlag,
    'global-module-sharing': strictFlag,
    'global-provider-sharing': strictFlag,
    'workspace-limit': nullable(union(int)),
    'infra-worker-sudo-enabled': strictFlag,
    'apply-timeout': strictText,
    'plan-timeout': strictText,
    'infra-build-worker-apply-timeout': strictText,
    'infra-build-worker-plan-timeout': strictText,
  }),
} as const

/**
 * Returns the organization in the path for a site admin, even if the organization is disabled.
 * Throws 404 for an unknown organization.
 */
export function findAdministered({ world, params }: Scope): Organization {
  return requireFound(world.table(organizations).get(params['organization_name'] ?? ''))
}

const partnershipShape = resourceShape(
  'module-partnerships',
  struct({
    'consuming-organization-id': text,
    'consuming-organization-name': text,
    'producing-organization-id': text,
    'producing-organization-name': text,
  }),
)

/**
 * Renders the right of one organization to use the modules of another organization. The id of the
 * resource is derived from the ids of both organizations.
 */
function partnershipResource(producer: Organization, consumer: Organization): Resource {
  const [own, other] = [producer.external_id, consumer.external_id]
  return {
    id: `mp-${own.slice(-8)}${other.slice(-8)}`,
    type: 'module-partnerships',
    attributes: {
      'consuming-organization-id': other,
      'consuming-organization-name': consumer.name,
      'producing-organization-id': own,
      'producing-organization-name': producer.name,
    },
  }
}

const spec = 'behaviour/platform#admin-organizations'
const sharing = 'behaviour/platform#module-sharing'
const adminOrganizationRendering = {
  shape: adminOrganizationShape,
  render: adminOrganizationResource,
}
const organizationRendering: Rendering<Organization> = {
  shape: organizationShape,
  render: (one, { world, caller }) => organizationResource(world, one, caller),
}

const onNoSubject = operationsOn('admin', () => undefined, spec)
const onOrganization = operationsOn('admin', findAdministered, spec)
const consumersPath = `${adminPath}/relationships/module-consumers` as const
const counts = { 'status-counts': struct({ total: int, active: int, disabled: int }) }

export const adminOrganizationOperations = [
  onNoSubject('GET', '/admin/organizations', {
    id: 'listAdminOrganizations',
    summary: 'List all organizations by name.',
    query: listQuery,
    failures: [400],
    reply: { 200: withExtraFields(listOf(adminOrganizationShape, counts), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, address } = context
      const included = inclusions.read(query.include, context)
      const all = Array.from(world.table(organizations).rows())
      const isProducer = (one: Organization) =>
        administrationOf(one).global_module_sharing === true ||
        moduleConsumersOf(world, one).length > 0
      const found = all.filter(
        (one) =>
          containsPart(query.q, one.name, one.email) &&
          containsPart(query['q[name]'], one.name) &&
          containsPart(query['q[email]'], one.email) &&
          (query['filter[module_producer]'] !== 'true' || isProducer(one)),
      )
      const disabled = all.filter((one) => administrationOf(one).is_disabled).length
      const render = (one: Organization) =>
        included.add(one, adminOrganizationResource(one, context))
      const { meta, ...page } = pageOf(found, render, address)
      const status = { total: all.length, active: all.length - disabled, disabled }
      return ok({ ...page, meta: { ...meta, 'status-counts': status }, ...included.members() })
    },
  }),
  onOrganization('GET', adminPath, {
    id: 'readAdminOrganization',
    summary: 'Read an organization as a site admin.',
    ...inclusions.readOperation(adminOrganizationShape, adminOrganizationResource),
  }),
  onOrganization.document('PATCH', adminPath, adminOrganizationRendering, {
    id: 'changeAdminOrganization',
    summary: 'Change the attributes of an organization that only site admins may change.',
    body: form,
    run({ context, body }) {
      const { world, subject } = context
      const {
        'infra-build-worker-apply-timeout': apply,
        'infra-build-worker-plan-timeout': plan,
        ...sent
      } = body().attributes
      return administerOrganization(world, subject, {
        ...(apply === undefined ? {} : { apply_timeout: apply }),
        ...(plan === undefined ? {} : { plan_timeout: plan }),
        ...inState(sent),
      })
    },
  }),
  onOrganization('DELETE', adminPath, {
    id: 'deleteAdminOrganization',
    summary: 'Delete an organization with everything in it, even if it is disabled.',
    run: ({ context: { world, subject } }) => deleteOrganization(world, subject),
  }),
  onOrganization.page(consumersPath, adminOrganizationRendering, {
    id: 'listModuleConsumers',
    summary: 'List the organizations that may use the private modules of another.',
    spec: sharing,
    run: ({ context }) => moduleConsumersOf(context.world, context.subject),
  }),
  onOrganization('PATCH', consumersPath, {
    id: 'setModuleConsumers',
    summary: 'Set the organizations that may use the private modules of another.',
    spec: sharing,
    identifiers: type,
    run: ({ context: { world, subject, list: items } }) =>
      void setModuleConsumers(world, subject, identifiersIn(items(), type)),
  }),
  onOrganization('PATCH', `${adminPath}/module-consumers`, {
    id: 'setModulePartnerships',
    summary: 'Deprecated: set the organizations that may use the private modules of another.',
    spec: sharing,
    body: {
      type: 'module-partnerships',
      attributes: optionalMembers({ 'module-consuming-organization-ids': union(list(text)) }),
    },
    reply: { 200: unpagedListOf(partnershipShape) },
    run: ({ context: { world, subject }, body }) => {
      const { 'module-consuming-organization-ids': ids } = body().attributes
      const changed = setModuleConsumers(world, subject, requireIds(ids))
      const consumers = moduleConsumersOf(world, changed)
      return ok({ data: consumers.map((one) => partnershipResource(changed, one)) })
    },
  }),
  operationsOn('caller', findOrganization, sharing).page(
    '/organizations/:organization_name/relationships/module-producers',
    organizationRendering,
    {
      id: 'listModuleProducers',
      summary: 'List the organizations whose private modules an organization may use.',
      run: ({ context: { world, subject } }) => moduleProducersOf(world, subject),
    },
  ),
]

function requireIds(ids: readonly string[] | undefined): readonly string[] {
  if (ids !== undefined) return ids
  throw invalidAttributes([violation('module-consuming-organization-ids', 'blank')])
}
