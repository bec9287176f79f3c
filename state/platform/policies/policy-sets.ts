import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { ownedRows } from '../owned-rows.ts'
import type { Workspace } from '../workspaces/workspaces.ts'

/** Attributes of a policy set as the API returns them. */
export const policySetAttributes = {
  name: text,
  description: text,
  kind: word('sentinel', 'opa'),
  /** Whether the set applies to all workspaces of the organization. */
  global: bool,
  /** Whether failures of mandatory policies can be overridden. */
  overridable: bool,
  agent_enabled: bool,
  policy_tool_version: text,
  policies_path: text,
  created_at: instant,
  updated_at: instant,
}

/** Repository that a policy set comes from; nothing is read from it. */
export const policySetRepository = struct({
  identifier: text,
  branch: text,
  oauth_token_id: text,
  ingress_submodules: bool,
})

const setShape = struct({
  ...policySetAttributes,
  /** Id of the form `polset-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  vcs_repo: nullable(policySetRepository),
  /** Ids of the policies, the workspaces and projects that it applies to, and of exceptions. */
  policies: list(text),
  workspaces: list(text),
  projects: list(text),
  workspace_exclusions: list(text),
})

/** A set of policies for several workspaces (behaviour/platform#policy-sets). */
export interface PolicySet extends StoredOf<typeof setShape> {}

/** List of a policy set with ids. */
export type PolicySetList = 'policies' | 'workspaces' | 'projects' | 'workspace_exclusions'

/** Policy sets by `<organization>/<number>`, in creation order. */
export const policySets = defineTable({
  service: 'platform',
  name: 'policy-sets',
  secrets: 'none',
  shape: setShape,
  indexes: { byId: ({ id }) => id, byName: ({ organization, name }) => `${organization}/${name}` },
})

const rows = ownedRows(policySets, 'organization')

/** Policy sets of an organization in creation order, one by its id, and their changes. */
export const {
  of: policySetsOf,
  withId: policySetWithId,
  put: putPolicySet,
  drop: dropPolicySet,
  move: movePolicySets,
} = rows

/** Returns the sets that have a policy. */
export function policySetsWith(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): PolicySet[] {
  return rows.of(world, organization).filter(({ policies }) => policies.includes(id))
}

/** Returns the sets that apply to a workspace in a project. */
export function policySetsFor(
  world: World,
  { id, organization }: Pick<Workspace, 'id' | 'organization'>,
  project: string | undefined,
): PolicySet[] {
  return rows
    .of(world, organization)
    .filter(
      (set) =>
        !set.workspace_exclusions.includes(id) &&
        (set.global ||
          set.workspaces.includes(id) ||
          (project !== undefined && set.projects.includes(project))),
    )
}

/** Takes a policy out of all sets of an organization. Must run inside a transaction. */
export function dropPolicyFromSets(world: World, organization: string, id: string): void {
  dropFromSets(world, organization, id, ['policies'])
}

/** Takes a deleted workspace or project out of all sets. Must run inside a transaction. */
export function dropTargetFromPolicySets(
  world: World,
  { id, organization }: { readonly id: string; readonly organization: string },
): void {
  dropFromSets(world, organization, id, ['workspaces', 'projects', 'workspace_exclusions'])
}

function dropFromSets(
  world: World,
  organization: string,
  id: string,
  lists: readonly PolicySetList[],
): void {
  for (const set of rows.of(world, organization)) {
    if (!lists.some((name) => set[name].includes(id))) continue
    const changed = lists.map((name) => [name, set[name].filter((each) => each !== id)])
    rows.put(world, { ...set, ...Object.fromEntries(changed) })
  }
}
