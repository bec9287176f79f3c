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
import { answer, ok } from '../../http/declare/operation.ts'
import { blankable, inState, optionalMembers } from '../json-api/attributes.ts'
import { pageOrAll } from '../json-api/pagination.ts'
import { documentOf, listOf, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import {
  entitlementResource,
  entitlementShape,
  organizationResource,
  organizationShape,
} from './organization-resource.ts'
import { findOrganization, findOwnedOrganization } from './scopes.ts'

const spec = 'behaviour/platform#surroundings'
const type = 'organizations'

/** Returns the caller if it may create organizations. Throws 404 otherwise. */
function requireCreator({ world, caller }: Scope): Caller {
  if (!mayCreateOrganizations(world, caller)) throw refuse('not-found')
  return caller
}

/** Returns the organizations that the caller belongs to, sorted by name. */
function organizationsOf(world: World, caller: Caller): Organization[] {
  const all = Array.from(world.table(organizations).rows())
  return all.filter(({ name }) => isMember(world, caller, name))
}

/** Switches of an organization by attribute name. */
const switchAttributes = {
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

/** Attributes that callers can set. */
const inputAttributes = optionalMembers({
  name: blankable,
  email: blankable,
  'cost-estimation-enabled': bool,
  'session-timeout': int,
  'session-remember': int,
  'collaborator-auth-policy': blankable,
  'default-execution-mode': blankable,
  'owners-team-saml-role-id': blankable,
  ...switchAttributes,
})

const onCaller = operationsOn('caller', () => undefined, spec)
const onCreator = operationsOn('caller', requireCreator, spec)
const onOrganization = operationsOn('caller', findOrganization, spec)
const onOwned = operationsOn('caller', findOwnedOrganization, spec)

const onePath = '/organizations/:organization_name'

/** Operations on organizations and their entitlements. */
export const organizationOperations = [
  onCaller('GET', '/organizations', {
    id: 'listOrganizations',
    summary: "List the caller's organizations by name; in pages only when one is asked for.",
    reply: { 200: union(unpagedListOf(organizationShape), listOf(organizationShape)) },
    run: ({ context: { world, caller, address } }) => {
      const all = organizationsOf(world, caller)
      const resourceOf = (one: Organization) => organizationResource(world, one, caller)
      return ok(pageOrAll(all, resourceOf, address))
    },
  }),
  onCreator('POST', '/organizations', {
    id: 'createOrganization',
    summary: 'Make an organization, whose owner the caller is.',
    body: { type, attributes: inputAttributes },
    failures: [404],
    reply: { 201: documentOf(organizationShape) },
    run: ({ context, body }) => {
      const { world, caller } = context
      const organization = createOrganization(world, caller, inState(body().attributes))
      return answer(201, { data: organizationResource(world, organization, caller) })
    },
  }),
  onOrganization('GET', onePath, {
    id: 'readOrganization',
    summary: 'Read an organization.',
    reply: { 200: documentOf(organizationShape) },
    run: ({ context: { world, subject, caller } }) =>
      ok({ data: organizationResource(world, subject, caller) }),
  }),
  onOwned('PATCH', onePath, {
    id: 'changeOrganization',
    summary: 'Change what is named of an organization; all in it goes with a change of name.',
    body: { type, attributes: inputAttributes },
    reply: { 200: documentOf(organizationShape) },
    run: ({ context, body }) => {
      const { world, subject, caller } = context
      const organization = changeOrganization(world, subject, inState(body().attributes))
      return ok({ data: organizationResource(world, organization, caller) })
    },
  }),
  onOwned('DELETE', onePath, {
    id: 'deleteOrganization',
    summary: 'Delete an organization with everything in it.',
    reply: { 204: null },
    run: ({ context: { world, subject } }) => deleteOrganization(world, subject),
  }),
  onOrganization('GET', `${onePath}/entitlement-set`, {
    id: 'readEntitlementSet',
    summary: 'Read what an organization may use.',
    reply: { 200: documentOf(entitlementShape) },
    run: ({ context: { subject } }) => ok({ data: entitlementResource(subject) }),
  }),
]
