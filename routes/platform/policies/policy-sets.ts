import { any, bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { policyWithId } from '../../../state/platform/policies/policies.ts'
import {
  type PolicySet,
  type PolicySetList,
  policySetsOf,
  policySetWithId,
} from '../../../state/platform/policies/policy-sets.ts'
import {
  changePolicySet,
  changePolicySetMembers,
  changeTagSelectors,
  createPolicySet,
  deletePolicySet,
  type PolicySetInput,
} from '../../../state/platform/policies/set-changes.ts'
import {
  createPolicySetVersion,
  policySetVersionWithId,
} from '../../../state/platform/policies/set-versions.ts'
import { projectWithId } from '../../../state/platform/projects/projects.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import {
  inState,
  openQuery,
  optionalMembers,
  readAttributes,
  readMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { identifiersIn, relatedItems } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { listOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext, type Scope } from '../operation.ts'
import { nameFilter } from '../organizations/scopes.ts'
import { projectResource, projectShape } from '../projects/project-resource.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import { policyResource, policyShape } from './policies.ts'
import {
  isVersioned,
  policySetResource,
  policySetShape,
  policySetVersionResource,
  policySetVersionShape,
  tagSelectorShape,
  versionsOfSet,
} from './policy-set-resource.ts'
import { findPolicyItemFor, findPolicyOrganizationFor } from './scopes.ts'

const type = 'policy-sets'

const selectorAttributes = { 'tag-selectors': list(tagSelectorShape) }
const selectorInput = optionalMembers(selectorAttributes)
const inputAttributes = optionalMembers({
  name: strictText,
  description: strictText,
  kind: strictText,
  global: strictFlag,
  overridable: strictFlag,
  'agent-enabled': strictFlag,
  'policy-tool-version': strictText,
  'policies-path': strictText,
  'policy-update-patterns': list(text),
  ...selectorAttributes,
  'tag-selector-matching-logic': strictText,
  'vcs-repo': any,
})
const repositoryInput = optionalMembers({
  identifier: strictText,
  branch: strictText,
  'oauth-token-id': strictText,
  'ingress-submodules': bool,
})
const form = { type, attributes: inputAttributes } as const

/**
 * Relationships of a policy set: name, list in state/, type of the items, and words for summaries.
 */
const relationshipLists = [
  ['policies', 'policies', 'policies', 'policies'],
  ['workspaces', 'workspaces', 'workspaces', 'workspaces that it applies to'],
  ['projects', 'projects', 'projects', 'projects that it applies to'],
  ['workspace-exclusions', 'workspace_exclusions', 'workspaces', 'exceptions'],
  ['project-exclusions', 'project_exclusions', 'projects', 'projects as exceptions'],
] as const satisfies readonly (readonly [string, PolicySetList, string, string])[]

function inputOf(
  { attributes, relationships }: ParsedBody<typeof inputAttributes>,
  { dialect }: Pick<PlatformContext<unknown>, 'dialect'>,
): PolicySetInput {
  const { 'vcs-repo': sent, 'tag-selectors': selectors, ...others } = attributes
  const repository = readMembers('vcs-repo', repositoryInput, sent, dialect)
  const members = relationshipLists.flatMap(([name, list, of]) => {
    const items = relatedItems(relationships, name)
    return items === undefined ? [] : [[list, identifiersIn(items, of)]]
  })
  return {
    ...inState(others),
    ...(selectors === undefined ? {} : { tag_selectors: selectors.map(inState) }),
    ...(repository === undefined ? {} : { vcs_repo: inState(repository) }),
    ...Object.fromEntries(members),
  }
}

const isPresent = <Value>(value: Value | undefined): value is Value => value !== undefined

/** Renders the workspaces with the given ids that the caller may see. */
function visibleWorkspaceResources(ids: readonly string[], context: PlatformContext<unknown>) {
  return ids
    .map((id) => workspaceWithId(context.world, id))
    .filter(isPresent)
    .filter((one) => hasWorkspaceRight(context.world, context.caller, one, 'visible'))
    .map((one) => workspaceResource(one, context))
}

/** Renders the projects with the given ids; unknown ids are skipped. */
function projectResources(ids: readonly string[], context: PlatformContext<unknown>) {
  return ids
    .map((id) => projectWithId(context.world, id))
    .filter(isPresent)
    .map((project) => projectResource(project, context))
}

const inclusions = inclusionsOf<PolicySet>(
  {
    policies: {
      find: ({ policies }, { world }) =>
        policies
          .map((id) => policyWithId(world, id))
          .filter(isPresent)
          .map((policy) => policyResource(policy, world)),
    },
    workspaces: {
      find: ({ workspaces }, context) => visibleWorkspaceResources(workspaces, context),
    },
    'workspace-exclusions': {
      find: ({ workspace_exclusions: ids }, context) => visibleWorkspaceResources(ids, context),
    },
    projects: { find: ({ projects }, context) => projectResources(projects, context) },
    'project-exclusions': {
      find: ({ project_exclusions: ids = [] }, context) => projectResources(ids, context),
    },
    'current-version': {
      find: (set, context) =>
        [versionsOfSet(context, set).current]
          .filter(isPresent)
          .map((version) => policySetVersionResource(version, context)),
    },
    'newest-version': {
      find: (set, context) =>
        [versionsOfSet(context, set).newest]
          .filter(isPresent)
          .map((version) => policySetVersionResource(version, context)),
    },
  },
  [policyShape, workspaceShape, projectShape, policySetVersionShape],
)

const findSet = ({ world, params }: Scope) => policySetWithId(world, params['policy_set_id'] ?? '')

/** Returns the policy set in the path for a read. See `findPolicyItemFor` for the refusals. */
export const findReadableSet = findPolicyItemFor('read', findSet)

/** Returns the policy set in the path for a change. See `findPolicyItemFor` for the refusals. */
export const findManagedSet = findPolicyItemFor('manage', findSet)

const spec = 'behaviour/platform#policy-sets'
const policySetRendering = { shape: policySetShape, render: policySetResource }
const policySetVersionRendering = { shape: policySetVersionShape, render: policySetVersionResource }

const onReadableOrganization = operationsOn('caller', findPolicyOrganizationFor('read'), spec)
const onManagedOrganization = operationsOn('caller', findPolicyOrganizationFor('manage'), spec)
const onReadableSet = operationsOn('caller', findReadableSet, spec)
const onManagedSet = operationsOn('caller', findManagedSet, spec)

/**
 * Returns the version in the path for a read, with the organization of its policy set. See
 * `findPolicyItemFor` for the refusals.
 */
const findVersion = findPolicyItemFor('read', ({ world, params }) => {
  const version = policySetVersionWithId(world, params['policy_set_version_id'] ?? '')
  const set = policySetWithId(world, version?.set ?? '')
  return version && set && { version, organization: set.organization }
})

const listPath = '/organizations/:organization_name/policy-sets'
const onePath = '/policy-sets/:policy_set_id'

export const policySetOperations = [
  onReadableOrganization('GET', listPath, {
    id: 'listPolicySets',
    summary: 'List the policy sets of an organization, newest first.',
    query: openQuery({
      ...inclusions.query,
      'search[name]': described(text, 'Part of a name'),
      'filter[kind]': described(text, '`sentinel` or `opa`'),
      'filter[versioned]': described(text, '`true` or `false`'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(policySetShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const { 'search[name]': part = '', 'filter[kind]': kind } = query
      const { 'filter[versioned]': versioned } = query
      const found = policySetsOf(world, subject.name)
        .filter(nameFilter(part, ''))
        .filter((one) => !kind || one.kind === kind)
        .filter((one) => !versioned || String(isVersioned(context, one)) === versioned)
        .toReversed()
      const render = (one: PolicySet) => included.add(one, policySetResource(one, context))
      return ok({ ...pageOf(found, render, address), ...included.members() })
    },
  }),
  onManagedOrganization.document('POST', listPath, policySetRendering, {
    id: 'createPolicySet',
    summary: 'Add a policy set to an organization.',
    body: form,
    run: ({ context, body }) =>
      createPolicySet(context.world, context.subject.name, inputOf(body(), context)),
  }),
  onReadableSet('GET', onePath, {
    id: 'readPolicySet',
    summary: 'Read a policy set.',
    ...inclusions.readOperation(policySetShape, policySetResource),
  }),
  onManagedSet.document('PATCH', onePath, policySetRendering, {
    id: 'changePolicySet',
    summary: 'Change the given attributes of a policy set.',
    body: form,
    run: ({ context, body }) =>
      changePolicySet(context.world, context.subject, inputOf(body(), context)),
  }),
  onManagedSet('DELETE', onePath, {
    id: 'deletePolicySet',
    summary: 'Delete a policy set with its versions and parameters.',
    run: ({ context: { world, subject } }) => deletePolicySet(world, subject),
  }),
  ...relationshipLists.flatMap(([name, list, of, noun]) =>
    (
      [
        ['POST', 'add', 'Add', 'to'],
        ['DELETE', 'remove', 'Remove', 'from'],
      ] as const
    ).map(([method, change, verb, preposition]) =>
      onManagedSet(method, `${onePath}/relationships/${name}`, {
        id: `${change}PolicySet${name.charAt(0).toUpperCase()}${name.slice(1).replace('-e', 'E')}`,
        summary: `${verb} ${noun} ${preposition} a policy set.`,
        identifiers: of,
        run: ({ context: { world, subject, list: items } }) =>
          changePolicySetMembers(world, subject, list, identifiersIn(items(), of), change),
      }),
    ),
  ),
  ...(['POST', 'DELETE'] as const).map((method) =>
    onManagedSet(method, `${onePath}/tag-selectors`, {
      id: method === 'POST' ? 'addPolicySetTagSelectors' : 'removePolicySetTagSelectors',
      summary: `${method === 'POST' ? 'Add' : 'Remove'} tags that select workspaces for a policy set.`,
      items: tagSelectorShape,
      run: ({ context: { world, subject, dialect, list: items } }) => {
        const sent = readAttributes(selectorInput, { 'tag-selectors': items() }, dialect)
        const selectors = (sent['tag-selectors'] ?? []).map(inState)
        changeTagSelectors(world, subject, selectors, method === 'POST' ? 'add' : 'remove')
      },
    }),
  ),
  onManagedSet.document('POST', `${onePath}/versions`, policySetVersionRendering, {
    id: 'createPolicySetVersion',
    summary: 'Add a version to a policy set; its files are uploaded to a link in the reply.',
    run: ({ context }) => createPolicySetVersion(context.world, context.subject.id),
  }),
  operationsOn('caller', findVersion, spec).document(
    'GET',
    '/policy-set-versions/:policy_set_version_id',
    policySetVersionRendering,
    {
      id: 'readPolicySetVersion',
      summary: 'Read a version of a policy set.',
      run: ({ context }) => context.subject.version,
    },
  ),
]
