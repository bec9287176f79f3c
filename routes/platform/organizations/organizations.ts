import { bool, int, union } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Caller, isMember } from '../../../state/platform/accounts/callers.ts'
import { refuse } from '../../../state/platform/messages.ts'
import {
  changeOrganization,
  createOrganization,
  deleteOrganization,
  mayCreateOrganizations,
} from '../../../state/platform/organizations/changes.ts'
import {
  type Organization,
  organizations,
} from '../../../state/platform/organizations/organizations.ts'
import { defaultProject } from '../../../state/platform/projects/projects.ts'
import { ok } from '../../http/declare/operation.ts'
import { blankable, inState, openQuery, optionalMembers } from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { listOf, unpagedListOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type Rendering, type Scope } from '../operation.ts'
import { projectResource, projectShape } from '../projects/project-resource.ts'
import {
  entitlementResource,
  entitlementShape,
  organizationResource,
  organizationShape,
} from './organization-resource.ts'
import { findOrganization, findOwnedOrganization } from './scopes.ts'

const spec = 'behaviour/platform#surroundings'
const type = 'organizations'

/** Returns the caller if the caller may create organizations. Throws 404 otherwise. */
function requireCreator({ world, caller }: Scope): Caller {
  if (!mayCreateOrganizations(world, caller)) throw refuse('not-found')
  return caller
}

/** Returns the organizations that the caller belongs to, sorted by name. */
function organizationsOf(world: World, caller: Caller): Organization[] {
  const all = Array.from(world.table(organizations).rows())
  return all.filter(({ name }) => isMember(world, caller, name))
}

/** Shapes of the boolean attributes that callers can set. */
const booleanAttributes = {
  'assessments-enforced': bool,
  'allow-force-delete-workspaces': bool,
  'speculative-plan-management-enabled': bool,
  'aggregated-commit-status-enabled': bool,
  'send-passing-statuses-for-untriggered-speculative-plans': bool,
  'user-tokens-enabled': bool,
  'stacks-enabled': bool,
  'enforce-hyok': bool,
  'max-ttl-enabled': bool,
}

const inputAttributes = optionalMembers({
  name: blankable,
  email: blankable,
  'cost-estimation-enabled': bool,
  'session-timeout': int,
  'session-remember': int,
  'collaborator-auth-policy': blankable,
  'default-execution-mode': blankable,
  'owners-team-saml-role-id': blankable,
  ...booleanAttributes,
})

function inputOf({ attributes, relationships }: ParsedBody<typeof inputAttributes>) {
  const pool = relatedId(relationships, 'default-agent-pool')
  return { ...inState(attributes), ...(pool === undefined ? {} : { default_agent_pool: pool }) }
}

const inclusions = inclusionsOf<Organization>(
  {
    'default-project': {
      find({ name }, context) {
        const project = defaultProject(context.world, name)
        return project === undefined ? [] : [projectResource(project, context)]
      },
    },
    'entitlement-set': { find: (organization) => [entitlementResource(organization)] },
  },
  [projectShape, entitlementShape],
)

const organizationRendering: Rendering<Organization> = {
  shape: organizationShape,
  render: (one, { world, caller }) => organizationResource(world, one, caller),
}
const entitlementRendering = { shape: entitlementShape, render: entitlementResource }

const onNoSubject = operationsOn('caller', () => undefined, spec)
const onCreator = operationsOn('caller', requireCreator, spec)
const onOrganization = operationsOn('caller', findOrganization, spec)
const onOwnedOrganization = operationsOn('caller', findOwnedOrganization, spec)

const onePath = '/organizations/:organization_name'

export const organizationOperations = [
  onNoSubject('GET', '/organizations', {
    id: 'listOrganizations',
    summary:
      "List the caller's organizations by name; paginated only if the query asks for a page.",
    query: openQuery(inclusions.query),
    failures: [400],
    reply: {
      200: union(
        withExtraFields(unpagedListOf(organizationShape), inclusions.shape),
        withExtraFields(listOf(organizationShape), inclusions.shape),
      ),
    },
    run: ({ context, query }) => {
      const { world, caller, address } = context
      const included = inclusions.read(query.include, context)
      const resourceOf = (one: Organization) =>
        included.add(one, organizationResource(world, one, caller))
      const page = pageOrAll(organizationsOf(world, caller), resourceOf, address)
      return ok({ ...page, ...included.members() })
    },
  }),
  onCreator.document('POST', '/organizations', organizationRendering, {
    id: 'createOrganization',
    summary: 'Create an organization; the caller becomes its owner.',
    body: { type, attributes: inputAttributes },
    failures: [404],
    run({ context, body }) {
      const { world, caller } = context
      return createOrganization(world, caller, inputOf(body()))
    },
  }),
  onOrganization('GET', onePath, {
    id: 'readOrganization',
    summary: 'Read an organization.',
    ...inclusions.readOperation(organizationShape, (organization, { world, caller }) =>
      organizationResource(world, organization, caller),
    ),
  }),
  onOwnedOrganization.document('PATCH', onePath, organizationRendering, {
    id: 'changeOrganization',
    summary:
      'Change the given attributes of an organization. A new name applies to everything in it.',
    body: { type, attributes: inputAttributes },
    run({ context, body }) {
      return changeOrganization(context.world, context.subject, inputOf(body()))
    },
  }),
  onOwnedOrganization('DELETE', onePath, {
    id: 'deleteOrganization',
    summary: 'Delete an organization with everything in it.',
    run: ({ context: { world, subject } }) => deleteOrganization(world, subject),
  }),
  onOrganization.document('GET', `${onePath}/entitlement-set`, entitlementRendering, {
    id: 'readEntitlementSet',
    summary: 'Read the entitlements of an organization.',
    run: ({ context: { subject } }) => subject,
  }),
]
