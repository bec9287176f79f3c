import { bool, int, list, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { fileAddress } from '../../../state/platform/files.ts'
import {
  isEvaluatedByAgents,
  matchingLogic,
  type PolicySet,
  policySetAttributes,
  type TagSelector,
} from '../../../state/platform/policies/policy-sets.ts'
import {
  type PolicySetVersion,
  policySetVersionAttributes,
  policySetVersionsOf,
  policySetVersionTimes,
} from '../../../state/platform/policies/set-versions.ts'
import { attributeRenderer, timestampRenderer } from '../json-api/attributes.ts'
import { toMany, toOne } from '../json-api/relations.ts'
import {
  inDialect,
  optionalRelationOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

const renderer = attributeRenderer(policySetAttributes)

export const tagSelectorShape = struct({
  'tag-key': text,
  'tag-value': described(nullable(text), 'Null selects tags without a value'),
  'is-exclude': bool,
})

function renderSelector({ tag_key, tag_value, is_exclude }: TagSelector) {
  return { 'tag-key': tag_key, 'tag-value': tag_value, 'is-exclude': is_exclude }
}

export const policySetShape = resourceShape(
  'policy-sets',
  struct({
    ...renderer.shape.fields,
    overridable: nullable(bool),
    'policy-tool-version': nullable(text),
    'policy-update-patterns': list(text),
    'tag-selectors': list(tagSelectorShape),
    'tag-selector-matching-logic': nullable(matchingLogic),
    'vcs-repo': nullable(
      struct({
        identifier: text,
        branch: text,
        'oauth-token-id': text,
        'ingress-submodules': bool,
        'display-identifier': text,
        'repository-http-url': text,
        'service-provider': text,
        'webhook-url': text,
      }),
    ),
    versioned: bool,
    'policy-count': int,
    'workspace-count': int,
    'project-count': int,
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      policies: relationsOf('policies'),
      workspaces: described(optional(relationsOf('workspaces')), 'Absent if the set is global'),
      projects: described(optional(relationsOf('projects')), 'Absent if the set is global'),
      'workspace-exclusions': relationsOf('workspaces'),
      'project-exclusions': relationsOf('projects'),
      'current-version': optionalRelationOf('policy-set-versions'),
      'newest-version': optionalRelationOf('policy-set-versions'),
    }),
    links: selfLink,
  },
)

/**
 * Returns the newest version of a set as `newest`, and the newest version that is ready as
 * `current`. A member is undefined if the set has no such version.
 */
export function versionsOfSet({ world }: Pick<PlatformContext<unknown>, 'world'>, set: PolicySet) {
  const all = policySetVersionsOf(world, set.id)
  return { newest: all.at(-1), current: all.findLast(({ status }) => status === 'ready') }
}

/** Returns whether the policies of a set come from uploads or a repository. */
export function isVersioned(
  context: Pick<PlatformContext<unknown>, 'world'>,
  set: PolicySet,
): boolean {
  return set.vcs_repo !== null || versionsOfSet(context, set).newest !== undefined
}

export function policySetResource(
  set: PolicySet,
  context: Pick<PlatformContext<unknown>, 'world' | 'origin'>,
): Resource {
  const { id, vcs_repo: repository, tag_selectors = [] } = set
  const { newest, current } = versionsOfSet(context, set)
  const targets = {
    workspaces: toMany('workspaces', set.workspaces),
    projects: toMany('projects', set.projects),
  }
  return {
    id,
    type: 'policy-sets',
    attributes: {
      ...renderer.render(set),
      ...(isEvaluatedByAgents(set) ? {} : { overridable: null, 'policy-tool-version': null }),
      'policy-update-patterns': set.policy_update_patterns ?? [],
      'tag-selectors': tag_selectors.map(renderSelector),
      'tag-selector-matching-logic':
        tag_selectors.length === 0 ? null : (set.tag_selector_matching_logic ?? 'any'),
      'vcs-repo': repository && {
        identifier: repository.identifier,
        branch: repository.branch,
        'oauth-token-id': repository.oauth_token_id,
        'ingress-submodules': repository.ingress_submodules,
        'display-identifier': repository.identifier,
        'repository-http-url': `${trimEndOf(repository.http_url ?? '', '/')}/${repository.identifier}`,
        'service-provider': repository.service_provider ?? '',
        'webhook-url': `${context.origin}/webhooks/vcs/${repository.webhook ?? ''}`,
      },
      versioned: isVersioned(context, set),
      'policy-count': set.policies.length,
      'workspace-count': set.workspaces.length,
      'project-count': set.projects.length,
    },
    relationships: {
      organization: toOne('organizations', set.organization),
      policies: toMany('policies', set.policies),
      ...(set.global ? {} : targets),
      'workspace-exclusions': toMany('workspaces', set.workspace_exclusions),
      'project-exclusions': toMany('projects', set.project_exclusions ?? []),
      'current-version': toOne('policy-set-versions', current?.id ?? null),
      'newest-version': toOne('policy-set-versions', newest?.id ?? null),
    },
    links: { self: `/api/v2/policy-sets/${id}` },
  }
}

const versionRenderer = attributeRenderer(policySetVersionAttributes)
const timesRenderer = timestampRenderer(policySetVersionTimes.fields)
const versionAttributes = struct({
  ...versionRenderer.shape.fields,
  'status-timestamps': timesRenderer.shape,
})

export const policySetVersionShape = resourceShape('policy-set-versions', versionAttributes, {
  relationships: struct({ 'policy-set': relationOf('policy-sets') }),
  links: struct({ self: text, upload: optional(text) }),
})

/** Renders a version of a policy set, with an upload link until its files are uploaded. */
export function policySetVersionResource(
  version: PolicySetVersion,
  context: Pick<PlatformContext<unknown>, 'world' | 'origin' | 'dialect'>,
): Resource {
  const { id, set, reached } = version
  const address = fileAddress(context.world, id)
  const upload =
    address === undefined || address.isUploaded ? {} : { upload: objectUrl(context, address.id) }
  const resource: Resource = {
    id,
    type: 'policy-set-versions',
    attributes: {
      ...versionRenderer.render(version),
      'status-timestamps': timesRenderer.render(reached),
    },
    relationships: { 'policy-set': toOne('policy-sets', set) },
    links: { self: `/api/v2/policy-set-versions/${id}`, ...upload },
  }
  return inDialect(resource, versionAttributes, context.dialect)
}
