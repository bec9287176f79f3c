import { bool, int, nullable, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { containsPart } from '../../../state/platform/wildcard.ts'
import { ok } from '../../http/declare/operation.ts'
import { findAdministered } from '../admin/organizations.ts'
import { openQuery, optionalMembers } from '../json-api/attributes.ts'
import { pageOf, pageOrAll } from '../json-api/pagination.ts'
import { listOf, type Resource, resourceShape, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { findOrganization } from './scopes.ts'

/**
 * Cheapest feature set with each feature, by the name of the feature. More expensive sets have the
 * feature as well.
 */
const features = {
  teams: 'Team',
  'private-vcs': 'Team',
  'self-serve-billing': 'Team',
  'cost-estimation': 'Team & Governance',
  sentinel: 'Team & Governance',
  'run-tasks': 'Team & Governance',
  'audit-logging': 'Business',
  sso: 'Business',
  'private-networking': 'Enterprise',
  'private-policy-agents': 'Enterprise',
} as const

/**
 * Feature sets in ascending order of cost. Each set includes the features of the sets before it.
 * Nobody can buy a set. Only site admins can grant a set with `isAdminGranted`.
 */
const allSets = [
  { name: 'Free', plan: null, cost: 0, userLimit: 5 },
  { name: 'Team', plan: 'team', cost: 20, userLimit: null },
  { name: 'Team & Governance', plan: 'team_and_governance', cost: 70, userLimit: null },
  { name: 'Standard (entitlement)', plan: null, cost: 100, userLimit: null, isAdminGranted: true },
  { name: 'Business', plan: 'business', cost: 150, userLimit: null },
  { name: 'Enterprise', plan: 'enterprise', cost: 300, userLimit: null },
] as const satisfies readonly {
  readonly name: string
  readonly plan: string | null
  readonly cost: number
  readonly userLimit: number | null
  readonly isAdminGranted?: true
}[]

const shape = resourceShape(
  'feature-sets',
  struct({
    name: text,
    description: text,
    'comparison-description': text,
    plan: nullable(text),
    cost: int,
    'is-current': bool,
    'is-free-tier': bool,
    'user-limit': nullable(int),
    ...Object.fromEntries(Object.keys(features).map((name) => [name, bool])),
  }),
)

/** Feature sets that every caller sees. */
const publicSets = allSets.filter((set) => !('isAdminGranted' in set))

/** Renders feature sets. Every organization has the set `Enterprise`. */
function featureSets(
  isOrganization: boolean,
  sets: readonly (typeof allSets)[number][] = publicSets,
): Resource[] {
  const names: readonly string[] = sets.map(({ name }) => name)
  return sets.map(({ name, plan, cost, userLimit }, index) => ({
    id: `fs-${String(index + 1).padStart(16, '1')}`,
    type: 'feature-sets',
    attributes: {
      name,
      description: `Features of ${name}`,
      'comparison-description': index === 0 ? '' : `Everything in ${names[index - 1]}, and more`,
      plan,
      cost,
      'is-current': isOrganization && name === 'Enterprise',
      'is-free-tier': index === 0,
      'user-limit': userLimit,
      ...Object.fromEntries(
        Object.entries(features).map(([feature, firstSet]) => [
          feature,
          index >= names.indexOf(firstSet),
        ]),
      ),
    },
  }))
}

const spec = 'behaviour/platform#feature-sets'
const reply = { 200: union(unpagedListOf(shape), listOf(shape)) }

const named = openQuery({ q: described(text, 'Part of a name') })

export const featureSetOperations = [
  operationsOn('caller', () => undefined, spec)('GET', '/feature-sets', {
    id: 'listFeatureSets',
    summary: 'List the feature sets by cost; paginated only if the query asks for a page.',
    reply,
    run: ({ context: { address } }) => ok(pageOrAll(featureSets(false), (one) => one, address)),
  }),
  operationsOn('caller', findOrganization, spec)(
    'GET',
    '/organizations/:organization_name/feature-sets',
    {
      id: 'listOrganizationFeatureSets',
      summary: 'List the feature sets by cost, including the feature set of the organization.',
      reply,
      run: ({ context: { address } }) => ok(pageOrAll(featureSets(true), (one) => one, address)),
    },
  ),
  operationsOn('admin', () => undefined, spec)('GET', '/admin/feature-sets', {
    id: 'listAdminFeatureSets',
    summary: 'List the feature sets that a site admin may assign to an organization.',
    query: named,
    reply: { 200: listOf(shape) },
    run: ({ context: { address }, query: { q } }) => {
      const found = featureSets(false, allSets).filter(({ attributes }) =>
        containsPart(q, String(attributes['name'])),
      )
      return ok(pageOf(found, (one) => one, address))
    },
  }),
  operationsOn('admin', findAdministered, spec)(
    'POST',
    '/admin/organizations/:organization_name/subscription',
    {
      id: 'setAdminSubscription',
      summary: 'Assign a feature set to an organization; all organizations have every feature.',
      body: { type: 'subscription', attributes: optionalMembers({}) },
      run: ({ body }) => void body(),
    },
  ),
]
