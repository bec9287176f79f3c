import {
  bool,
  instant,
  list,
  nullable,
  text,
  translatedText,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { keysFromMembers } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { platformTable } from '../table.ts'
import { dropTag, ensureTag } from '../tags/organization-tags.ts'
import { tagBindingsShape } from '../tags/tags.ts'
import { repositoryShape } from './repository.ts'

export const workspaceAttributes = {
  name: text,
  description: nullable(text),
  execution_mode: word('remote', 'local', 'agent'),
  auto_apply: bool,
  auto_apply_run_trigger: bool,
  allow_destroy_plan: bool,
  assessments_enabled: bool,
  file_triggers_enabled: bool,
  global_remote_state: bool,
  queue_all_runs: bool,
  speculative_enabled: bool,
  structured_run_output_enabled: bool,
  /**
   * Requested version of the infrastructure tool: an exact version, `latest` or a version
   * constraint.
   */
  infra_version: vendorNamed('terraform-version', text),
  trigger_prefixes: list(text),
  trigger_patterns: list(text),
  working_directory: nullable(text),
  source: translatedText({ 'ent-api': 'tfe-api', 'ent-module': 'tfe-module' }),
  source_name: nullable(text),
  source_url: nullable(text),
  tag_names: list(text),
  setting_overwrites: struct({ execution_mode: bool, agent_pool: bool }),
  locked: bool,
  /** Reason in the request that locked the workspace; empty if that request gave no reason. */
  locked_reason: optional(text),
  /** Time at which the product would destroy the resources. The mock only sends the reminders. */
  auto_destroy_at: optional(nullable(instant)),
  auto_destroy_activity_duration: optional(nullable(text)),
  inherits_project_auto_destroy: optional(bool),
  project_remote_state: optional(bool),
  migration_environment: optional(text),
  created_at: instant,
  updated_at: instant,
}

/** Values of attributes that are missing in documents of old releases. */
export const attributeDefaults = {
  locked_reason: '',
  auto_destroy_at: null,
  auto_destroy_activity_duration: null,
  inherits_project_auto_destroy: true,
  project_remote_state: false,
  migration_environment: '',
} as const

const workspaceShape = struct({
  ...workspaceAttributes,
  /** Id of the form `ws-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Project id; null means the default project. */
  project: nullable(text),
  /** All tags; missing in documents of old releases, which contain only `tag_names`. */
  tag_bindings: optional(tagBindingsShape),
  /** Id of the workspace's own agent pool; missing in documents of old releases. */
  agent_pool: optional(nullable(text)),
  /**
   * Ids of the workspaces that may read the state of this workspace. The list has no effect if all
   * workspaces of the project or of the organization may read the state.
   */
  remote_state_consumers: optional(list(text)),
  /** Repository that the files come from; missing in documents of old releases. */
  repository: optional(nullable(repositoryShape)),
  /** Id of the no-code module that the workspace was created from; missing for other workspaces. */
  no_code_module: optional(text),
  /** Id of the SSH key with which modules are fetched. */
  ssh_key_id: optional(nullable(text)),
  /**
   * Id of the user, team or run that holds the lock. Null if the workspace is not locked; missing
   * in documents of old releases.
   */
  locked_by: optional(nullable(text)),
})

/**
 * A workspace: a configuration with its variables, runs and state (behaviour/platform#workspaces).
 */
export interface Workspace extends StoredOf<typeof workspaceShape> {}

/**
 * Workspaces by `<organization>/<name>`. The index `byTag` has a key `<organization>/<tag>/<name>`
 * for each flat tag.
 */
export const workspaces = platformTable('workspaces', workspaceShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byTag: keysFromMembers<Workspace>()(
      ['organization', 'name', 'tag_names'],
      ({ organization, name, tag_names }) =>
        tag_names.map((tag) => `${organization}/${tag}/${name}`),
    ),
  },
})

export function workspaceWithId(world: World, id: string): Workspace | undefined {
  return world.table(workspaces).index('byId').get(id)
}

export function workspaceNamed(
  world: World,
  organization: string,
  name: string,
): Workspace | undefined {
  return world.table(workspaces).get(`${organization}/${name}`)
}

/** Returns the URL of a workspace's web page. `base` is scheme, host and world prefix. */
export function workspacePage(
  base: string,
  { organization, name }: Pick<Workspace, 'organization' | 'name'>,
): string {
  return `${base}/app/${organization}/workspaces/${name}`
}

/**
 * Returns the workspaces of a project. A workspace without a project id belongs to the default
 * project of its organization.
 */
export function workspacesIn(
  world: World,
  project: { readonly id: string; readonly organization: string; readonly is_default: boolean },
): Workspace[] {
  return workspacesOf(world, project.organization).filter(
    ({ project: id }) => id === project.id || (id === null && project.is_default),
  )
}

/** Returns the workspaces of an organization, sorted by name. */
export function workspacesOf(world: World, organization: string): Workspace[] {
  return Array.from(world.table(workspaces).rows(`${organization}/`))
}

/** Returns the workspaces with a flat tag, sorted by name. */
export function workspacesTagged(world: World, organization: string, tag: string): Workspace[] {
  return Array.from(world.table(workspaces).index('byTag').rows(`${organization}/${tag}/`))
}

/**
 * Inserts or updates a workspace, whose name may have changed. Creates the flat tags that are new
 * in the organization and deletes those that are no longer used. Must run inside a transaction.
 */
export function putWorkspace(world: World, workspace: Workspace): Workspace {
  const table = world.table(workspaces)
  const { organization, name, tag_names } = workspace
  const before = workspaceWithId(world, workspace.id)
  if (before !== undefined) table.delete(`${before.organization}/${before.name}`)
  table.put(`${organization}/${name}`, workspace)
  for (const tag of tag_names) ensureTag(world, organization, tag)
  if (before !== undefined) dropUnusedTags(world, before)
  return workspace
}

/**
 * Deletes a workspace and the flat tags that only this workspace used. Other data of the workspace,
 * such as variables and runs, is not deleted. Must run inside a transaction.
 */
export function dropWorkspace(world: World, { id }: Workspace): void {
  const before = workspaceWithId(world, id)
  if (before === undefined) return
  world.table(workspaces).delete(`${before.organization}/${before.name}`)
  dropUnusedTags(world, before)
}

/** Deletes those flat tags of a workspace that are no longer in use. */
function dropUnusedTags(world: World, { organization, tag_names }: Workspace): void {
  for (const tag of tag_names) {
    if (workspacesTagged(world, organization, tag).length === 0) dropTag(world, organization, tag)
  }
}
