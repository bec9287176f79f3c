import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { projectOf } from '../workspaces/execution.ts'
import { effectiveTags } from '../workspaces/tags.ts'
import type { Workspace } from '../workspaces/workspaces.ts'

export const policySetAttributes = {
  name: text,
  description: text,
  kind: word('sentinel', 'opa'),
  /**
   * Whether the set applies to all workspaces of the organization except those that the set
   * excludes.
   */
  global: bool,
  /** Whether failures of mandatory policies can be overridden. */
  overridable: bool,
  agent_enabled: bool,
  policy_tool_version: text,
  policies_path: text,
  created_at: instant,
  updated_at: instant,
}

/** Repository of a policy set. The mock never reads the repository. */
const policySetRepository = struct({
  identifier: text,
  branch: text,
  oauth_token_id: text,
  ingress_submodules: bool,
  service_provider: optional(text),
  /** URL of the version control provider. The mock never contacts the provider. */
  http_url: optional(text),
  /** UUID of the webhook that the version control provider would call. */
  webhook: optional(text),
})

/** Rule for tag selectors: whether a workspace must have any or all of the selected tags. */
export const matchingLogic = word('any', 'all')

const selectorShape = struct({
  tag_key: text,
  /** Value of the tag; null selects tags without a value. */
  tag_value: nullable(text),
  is_exclude: bool,
})

/**
 * A selector of workspaces by tag. The policy set applies to workspaces with the tag or, if
 * `is_exclude` is set, excludes them.
 */
export interface TagSelector extends StoredOf<typeof selectorShape> {}

const setShape = struct({
  ...policySetAttributes,
  /** Id of the form `polset-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  vcs_repo: nullable(policySetRepository),
  /** Ids of the policies. */
  policies: list(text),
  /** Ids of the workspaces that the set applies to. */
  workspaces: list(text),
  /** Ids of the projects that the set applies to. */
  projects: list(text),
  /** Ids of the workspaces that the set excludes. */
  workspace_exclusions: list(text),
  /** Ids of the projects that the set excludes. */
  project_exclusions: optional(list(text)),
  /**
   * Path patterns in the repository. In the product, a change of a matching file updates the set.
   * The mock only stores and returns the patterns.
   */
  policy_update_patterns: optional(list(text)),
  tag_selectors: optional(list(selectorShape)),
  tag_selector_matching_logic: optional(matchingLogic),
})

/** A set of policies and the workspaces that it applies to (behaviour/platform#policy-sets). */
export interface PolicySet extends StoredOf<typeof setShape> {}

/** Members of a policy set that are lists of ids. */
export const policySetListNames = [
  'policies',
  'workspaces',
  'projects',
  'workspace_exclusions',
  'project_exclusions',
] as const

export type PolicySetList = (typeof policySetListNames)[number]

/** Policy sets by `<organization>/<number>`, in creation order. */
export const policySets = platformTable('policy-sets', setShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id, byName: ({ organization, name }) => `${organization}/${name}` },
})

const rows = ownedRows(policySets, 'organization')

/** Functions of `ownedRows` for the policy sets of an organization. Lists are in creation order. */
export const {
  of: policySetsOf,
  withId: policySetWithId,
  put: putPolicySet,
  drop: dropPolicySet,
  move: movePolicySets,
} = rows

/**
 * Returns the policy set with the given name in an organization, or undefined if no policy set has
 * that name.
 */
export const policySetNamed = lookupByName(policySets)

/** Returns the policy sets that contain a policy. */
export function policySetsWith(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): PolicySet[] {
  return rows.of(world, organization).filter(({ policies }) => policies.includes(id))
}

/**
 * Returns whether agents evaluate a policy set. Policy checks of runs contain the policies of all
 * other sets.
 */
export function isEvaluatedByAgents({ kind, agent_enabled }: PolicySet): boolean {
  return kind === 'opa' || agent_enabled
}

/**
 * Returns the policy sets that apply to a workspace. Exclusions take precedence over all other
 * rules.
 */
export function policySetsFor(world: World, workspace: Workspace): PolicySet[] {
  const { id, organization } = workspace
  const project = projectOf(world, workspace)?.id ?? ''
  const tags = effectiveTags(world, workspace)
  const isSelected = (
    { tag_selectors = [], tag_selector_matching_logic }: PolicySet,
    isExclude: boolean,
  ) => {
    const selectors = tag_selectors.filter(({ is_exclude }) => is_exclude === isExclude)
    const hasTag = ({ tag_key, tag_value }: TagSelector) =>
      tags.some(({ key, value }) => key === tag_key && value === (tag_value ?? ''))
    if (tag_selector_matching_logic !== 'all') return selectors.some(hasTag)
    return selectors.length > 0 && selectors.every(hasTag)
  }
  return rows
    .of(world, organization)
    .filter(
      (set) =>
        !set.workspace_exclusions.includes(id) &&
        !set.project_exclusions?.includes(project) &&
        !isSelected(set, true) &&
        (set.global ||
          set.workspaces.includes(id) ||
          set.projects.includes(project) ||
          isSelected(set, false)),
    )
}

/** Removes a policy from all policy sets of an organization. Must run inside a transaction. */
export function dropPolicyFromSets(world: World, organization: string, id: string): void {
  dropFromSets(world, organization, id, ['policies'])
}

/** Removes a deleted workspace or project from all policy sets. Must run inside a transaction. */
export function dropTargetFromPolicySets(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): void {
  dropFromSets(
    world,
    organization,
    id,
    policySetListNames.filter((name) => name !== 'policies'),
  )
}

function dropFromSets(
  world: World,
  organization: string,
  id: string,
  lists: readonly PolicySetList[],
): void {
  for (const set of rows.of(world, organization)) {
    const listsWithTarget = lists.filter((name) => set[name]?.includes(id))
    if (listsWithTarget.length === 0) continue
    const changed = listsWithTarget.map((name) => [name, set[name]?.filter((each) => each !== id)])
    rows.put(world, { ...set, ...Object.fromEntries(changed) })
  }
}
