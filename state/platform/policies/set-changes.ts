import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { oauthClientOfToken } from '../modules/oauth-clients.ts'
import { checkPlainName, isBlank, type TextInput, updatedText } from '../names.ts'
import { projectWithId } from '../projects/projects.ts'
import { removeVariablesOf } from '../variables/variables.ts'
import { Violations } from '../violations.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { policyWithId } from './policies.ts'
import {
  dropPolicySet,
  matchingLogic,
  type PolicySet,
  type PolicySetList,
  policySetListNames,
  policySetNamed,
  policySetsOf,
  putPolicySet,
  type TagSelector,
} from './policy-sets.ts'
import { dropPolicySetVersions } from './set-versions.ts'

/**
 * Attributes in a request that creates or changes a policy set. A null `name` is treated as blank.
 */
export interface PolicySetInput
  extends TextInput<'name' | 'description' | 'kind' | 'policy_tool_version' | 'policies_path'>,
    Partial<Pick<PolicySet, 'global' | 'overridable' | 'agent_enabled' | 'policy_update_patterns'>>,
    Partial<Readonly<Record<PolicySetList, readonly string[]>>> {
  readonly tag_selectors?: readonly TagSelector[]
  /** Rule for tag selectors; null means `any`. */
  readonly tag_selector_matching_logic?: string | null
  readonly vcs_repo?: TextInput<'identifier' | 'branch' | 'oauth_token_id'> & {
    readonly ingress_submodules?: boolean
  }
}

/**
 * Creates a policy set. Throws 422 for invalid attributes, unknown ids, an unknown OAuth token, and
 * policies in a set with a repository.
 */
export function createPolicySet(
  world: World,
  organization: string,
  input: PolicySetInput,
): PolicySet {
  const violations = new Violations()
  const kind = (['sentinel', 'opa'] as const).find((each) => each === (input.kind ?? 'sentinel'))
  if (kind === undefined) violations.add('kind', 'not-listed')
  const now = world.clock.now()
  return store(world, input, violations, {
    id: newId(world, 'polset'),
    organization,
    name: '',
    description: '',
    kind: kind ?? 'sentinel',
    global: false,
    overridable: false,
    agent_enabled: kind === 'opa',
    policy_tool_version: 'latest',
    policies_path: '',
    vcs_repo: null,
    policies: [],
    workspaces: [],
    projects: [],
    workspace_exclusions: [],
    created_at: now,
    updated_at: now,
  })
}

/**
 * Changes the given members of a policy set, except the kind. Throws 422 in the same cases as
 * `createPolicySet`.
 */
export function changePolicySet(world: World, before: PolicySet, input: PolicySetInput): PolicySet {
  return store(world, input, new Violations(), { ...before, updated_at: world.clock.now() })
}

function store(
  world: World,
  input: PolicySetInput,
  violations: Violations,
  before: PolicySet,
): PolicySet {
  const { organization } = before
  const name = updatedText(input.name, before.name)
  checkPlainName(violations, name, before, policySetNamed(world, organization, name))
  const { vcs_repo: repository, tag_selector_matching_logic: logic } = input
  const sentLogic = matchingLogic.words.find((each) => each === logic)
  if (!isBlank(logic) && sentLogic === undefined) {
    violations.add('tag-selector-matching-logic', 'not-listed')
  }
  if (repository !== undefined && isBlank(repository.identifier)) {
    violations.add('vcs-repo/identifier', 'blank')
  }
  violations.check()
  const vcs_repo =
    repository === undefined ? before.vcs_repo : storedRepository(world, before, repository)
  const global = input.global ?? before.global
  const after: PolicySet = {
    ...before,
    name,
    description: updatedText(input.description, before.description),
    global,
    overridable: input.overridable ?? before.overridable,
    agent_enabled: input.agent_enabled ?? before.agent_enabled,
    policy_tool_version: input.policy_tool_version || before.policy_tool_version,
    policies_path: updatedText(input.policies_path, before.policies_path),
    vcs_repo,
    policies: [...new Set(input.policies ?? before.policies)],
    // A global set applies to all workspaces, so its lists of workspaces and projects are empty.
    workspaces: global ? [] : [...new Set(input.workspaces ?? before.workspaces)],
    projects: global ? [] : [...new Set(input.projects ?? before.projects)],
    workspace_exclusions: [...new Set(input.workspace_exclusions ?? before.workspace_exclusions)],
    project_exclusions: [...new Set(input.project_exclusions ?? before.project_exclusions)],
    policy_update_patterns: input.policy_update_patterns ?? before.policy_update_patterns ?? [],
    tag_selectors: [...(input.tag_selectors ?? before.tag_selectors ?? [])],
    tag_selector_matching_logic:
      (logic === undefined ? before.tag_selector_matching_logic : sentLogic) ?? 'any',
  }
  for (const list of policySetListNames) checkMembers(world, after, list, after[list] ?? [])
  if (vcs_repo !== null && after.policies.length > 0) throw refuse('policies-with-repository')
  return world.write(() => putPolicySet(world, after))
}

function storedRepository(
  world: World,
  { organization, vcs_repo: before }: PolicySet,
  {
    identifier,
    branch,
    oauth_token_id,
    ingress_submodules = false,
  }: NonNullable<PolicySetInput['vcs_repo']>,
): PolicySet['vcs_repo'] {
  const client = oauthClientOfToken(world, oauth_token_id ?? '')
  if (client === undefined || client.organization !== organization) {
    throw refuse('oauth-token-unknown')
  }
  return {
    service_provider: client.service_provider,
    http_url: client.http_url,
    webhook: before?.webhook ?? world.ids.uuid(),
    identifier: identifier ?? '',
    branch: branch ?? '',
    oauth_token_id: oauth_token_id ?? '',
    ingress_submodules,
  }
}

/** Functions that find an object by id, one function for each list of ids in a policy set. */
const finders = {
  policies: policyWithId,
  workspaces: workspaceWithId,
  projects: projectWithId,
  workspace_exclusions: workspaceWithId,
  project_exclusions: projectWithId,
} as const

/** Throws 422 unless all ids belong to objects of the set's organization. */
function checkMembers(
  world: World,
  { organization }: PolicySet,
  list: PolicySetList,
  ids: readonly string[],
): void {
  for (const id of ids) {
    if (finders[list](world, id)?.organization === organization) continue
    throw refuse('policy-set-member-unknown', { id })
  }
}

/**
 * Adds ids to a list of a policy set, or removes them. Throws 422 for an unknown id, for workspaces
 * and projects of a global set, and for policies of a set with a repository.
 */
export function changePolicySetMembers(
  world: World,
  set: PolicySet,
  list: PolicySetList,
  ids: readonly string[],
  change: 'add' | 'remove',
): void {
  const isTarget = list === 'workspaces' || list === 'projects'
  if (set.global && isTarget) throw refuse('policy-set-global')
  if (set.vcs_repo !== null && list === 'policies') throw refuse('policies-with-repository')
  checkMembers(world, set, list, ids)
  const others = (set[list] ?? []).filter((each) => !ids.includes(each))
  const members = change === 'add' ? [...others, ...new Set(ids)] : others
  const updated_at = world.clock.now()
  world.write(() => putPolicySet(world, { ...set, [list]: members, updated_at }))
}

/**
 * Adds tag selectors to a policy set, or removes the selectors that equal one of `sent`. Throws 422
 * if `sent` is empty.
 */
export function changeTagSelectors(
  world: World,
  set: PolicySet,
  sent: readonly TagSelector[],
  change: 'add' | 'remove',
): void {
  if (sent.length === 0) throw refuse('data-missing')
  const isSent = ({ tag_key, tag_value, is_exclude }: TagSelector) =>
    sent.some(
      (one) =>
        one.tag_key === tag_key && one.tag_value === tag_value && one.is_exclude === is_exclude,
    )
  const others = (set.tag_selectors ?? []).filter((one) => !isSent(one))
  const tag_selectors = change === 'add' ? [...others, ...sent] : others
  const updated_at = world.clock.now()
  world.write(() => putPolicySet(world, { ...set, tag_selectors, updated_at }))
}

/** Deletes a policy set with its versions and parameters. */
export function deletePolicySet(world: World, { id }: PolicySet): void {
  world.write(() => {
    removeVariablesOf(world, id)
    dropPolicySetVersions(world, id)
    dropPolicySet(world, { id })
  })
}

/** Deletes the policy sets of an organization. Must run inside a transaction. */
export function dropPolicySets(world: World, organization: string): void {
  for (const set of policySetsOf(world, organization)) deletePolicySet(world, set)
}
