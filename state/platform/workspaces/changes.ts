import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { users } from '../accounts/users.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { moveModuleData, removeModuleData } from '../modules/dependent-data.ts'
import { isBlank, isPlainName, type TextInput, updatedText } from '../names.ts'
import { optionsOf } from '../options.ts'
import { teamWithId } from '../organizations/teams.ts'
import { defaultProject, projectWithId } from '../projects/projects.ts'
import { settingsWithDefaults } from '../settings/settings.ts'
import {
  bindingsOf,
  flatNames,
  replacedBindings,
  replacedFlatTags,
  type TagBinding,
  type TagInput,
  validTagNames,
  withFlatTags,
} from '../tags/tags.ts'
import { Violations } from '../violations.ts'
import {
  dropWorkspace,
  putWorkspace,
  type Workspace,
  workspaceNamed,
  workspacesOf,
} from './workspaces.ts'

type WorkspaceSettings = Omit<
  Workspace,
  | 'id'
  | 'organization'
  | 'name'
  | 'execution_mode'
  | 'project'
  | 'agent_pool'
  | 'global_remote_state'
  | 'locked'
  | 'source'
  | 'infra_version'
  | 'created_at'
  | 'updated_at'
>

/** Default settings of a workspace. */
const defaults: WorkspaceSettings = {
  description: null,
  auto_apply: false,
  auto_apply_run_trigger: false,
  allow_destroy_plan: true,
  assessments_enabled: false,
  file_triggers_enabled: true,
  queue_all_runs: false,
  speculative_enabled: true,
  structured_run_output_enabled: true,
  trigger_prefixes: [],
  trigger_patterns: [],
  working_directory: null,
  source_name: null,
  source_url: null,
  tag_names: [],
  setting_overwrites: { execution_mode: false, agent_pool: false },
}

/** Input for a workspace; null counts as a blank string. */
interface WorkspaceInput
  extends Partial<Omit<WorkspaceSettings, 'setting_overwrites'>>,
    TextInput<'name' | 'execution_mode' | 'infra_version'> {
  /** Deprecated alternative to the execution mode `local`. */
  readonly operations?: boolean
  readonly global_remote_state?: boolean
  readonly setting_overwrites?: Partial<Workspace['setting_overwrites']>
  /** Id of the project. */
  readonly project?: string
  /** Names of flat tags to add. */
  readonly added_tags?: readonly string[]
  /** Complete list of the workspace's tags after the write. */
  readonly tags?: readonly TagInput[]
  /** Id of the agent pool; null or blank means none. */
  readonly agent_pool_id?: string | null
  /** Pattern of tags in the repository. Validated, but not stored. */
  readonly tags_regex?: string | null
}

const maxNameLength = 90

/** Adds a workspace to an organization (behaviour/platform#beyond). */
export function createWorkspace(
  world: World,
  organization: string,
  input: WorkspaceInput,
): Workspace {
  const validated = validate(world, organization, input)
  const now = world.clock.now()
  return world.write(() =>
    putWorkspace(world, {
      ...validated,
      ...tagsAfter(world, [], input),
      id: newId(world, 'ws'),
      organization,
      source: 'ent-api',
      locked: false,
      locked_by: null,
      created_at: now,
      updated_at: now,
    }),
  )
}

/** Changes the given members of a workspace. */
export function changeWorkspace(
  world: World,
  workspace: Workspace,
  input: WorkspaceInput,
): Workspace {
  const validated = validate(world, workspace.organization, input, workspace)
  return world.write(() =>
    putWorkspace(world, {
      ...workspace,
      ...validated,
      ...tagsAfter(world, bindingsOf(workspace), input),
      updated_at: world.clock.now(),
    }),
  )
}

/** Returns the tag members of a workspace's row after the tags of the input were applied. */
function tagsAfter(
  world: World,
  before: readonly TagBinding[],
  { tags, tag_names, added_tags }: WorkspaceInput,
) {
  let after = before
  if (tags !== undefined) after = replacedBindings(world, after, tags)
  if (tag_names !== undefined) after = replacedFlatTags(world, after, validTagNames(tag_names))
  if (added_tags !== undefined) after = withFlatTags(world, after, validTagNames(added_tags))
  return { tag_bindings: [...after], tag_names: flatNames(after) }
}

/** Returns the id under which a caller holds locks: the team's if it uses a team's token. */
function lockerId({ token, user }: Caller): string {
  return token.kind === 'team' ? token.owner : user.id
}

/** Locks a workspace on behalf of a caller. Throws 409 if it is already locked. */
export function lockWorkspace(world: World, workspace: Workspace, caller: Caller): Workspace {
  if (workspace.locked) throw refuse('already-locked')
  const locked_by = lockerId(caller)
  return world.write(() => putWorkspace(world, { ...workspace, locked: true, locked_by }))
}

/**
 * Unlocks a workspace on behalf of a caller. Throws 409 if the workspace is not locked, or if
 * another user or team, which still exists, has locked it.
 */
export function unlockWorkspace(world: World, workspace: Workspace, caller: Caller): Workspace {
  const { locked, locked_by: id = null } = workspace
  if (locked && id !== null && id !== lockerId(caller)) {
    if (teamWithId(world, id) !== undefined) {
      throw refuse('workspace-locked-by', { kind: 'Team', id })
    }
    if (world.table(users).has(id)) throw refuse('workspace-locked-by', { kind: 'User', id })
  }
  return forceUnlockWorkspace(world, workspace)
}

/** Unlocks a workspace regardless of who locked it. Throws 409 if it is not locked. */
export function forceUnlockWorkspace(world: World, workspace: Workspace): Workspace {
  if (!workspace.locked) throw refuse('already-unlocked')
  return world.write(() => putWorkspace(world, { ...workspace, locked: false, locked_by: null }))
}

/** Deletes a workspace with its configuration versions. Throws 409 if it is locked. */
export function safeDeleteWorkspace(world: World, workspace: Workspace): void {
  if (workspace.locked) throw refuse('workspace-locked')
  deleteWorkspace(world, workspace)
}

/** Deletes a workspace, even if it is locked. */
export function deleteWorkspace(world: World, workspace: Workspace): void {
  world.write(() => {
    removeModuleData(world, workspace.id)
    dropWorkspace(world, workspace)
  })
}

/** Deletes the workspaces of an organization. Must run inside a transaction. */
export function dropWorkspaces(world: World, organization: string): void {
  for (const workspace of workspacesOf(world, organization)) deleteWorkspace(world, workspace)
}

/** Moves the workspaces of an organization to its new name. Must run inside a transaction. */
export function moveWorkspaces(world: World, before: string, organization: string): void {
  for (const workspace of workspacesOf(world, before)) {
    putWorkspace(world, { ...workspace, organization })
    moveModuleData(world, workspace.id, organization)
  }
}

const modes = ['remote', 'local', 'agent'] as const

function validate(world: World, organization: string, input: WorkspaceInput, before?: Workspace) {
  const violations = new Violations()
  const {
    name: nameInput,
    execution_mode,
    operations,
    setting_overwrites,
    project,
    agent_pool_id,
    tags_regex,
    tag_names,
    added_tags,
    tags,
    ...rest
  } = input
  const name = updatedText(nameInput, before?.name)
  if (isBlank(name)) violations.add('name', 'blank')
  else if (!isPlainName(name) || name.length > maxNameLength) violations.add('name', 'invalid')
  else if (name !== before?.name && workspaceNamed(world, organization, name) !== undefined) {
    violations.add('name', 'taken')
  }
  const defaultMode = operations === false ? 'local' : (before?.execution_mode ?? 'remote')
  const mode = modes.find((one) => one === (execution_mode ?? defaultMode))
  if (mode === undefined) violations.add('execution-mode', 'not-listed')
  if (operations !== undefined && execution_mode != null) {
    violations.add('operations', 'not-with-mode')
  }
  const prefixes = rest.trigger_prefixes ?? before?.trigger_prefixes ?? []
  const patterns = rest.trigger_patterns ?? before?.trigger_patterns ?? []
  if (prefixes.length > 0 && patterns.length > 0) {
    violations.add('trigger-patterns', 'not-with-prefixes')
  }
  if (!isBlank(tags_regex) && prefixes.length + patterns.length > 0) {
    violations.add('vcs-repo/tags-regex', 'not-with-triggers')
  }
  const keptPool = mode === 'agent' ? (before?.agent_pool ?? null) : null
  const pool = agent_pool_id === undefined ? keptPool : agent_pool_id || null
  if (mode === 'agent' && isBlank(pool)) violations.add('agent-pool', 'blank')
  else if (mode !== 'agent' && pool !== null) violations.add('agent-pool', 'not-blank')
  else if (pool !== null && !pool.startsWith('apool-')) violations.add('agent-pool', 'invalid')
  if (violations.any || mode === undefined) throw violations.refusal()

  if (project !== undefined && projectWithId(world, project)?.organization !== organization) {
    throw refuse('project-unusable')
  }
  const overwrites = before?.setting_overwrites ?? defaults.setting_overwrites
  const modeOverwrite = execution_mode == null ? {} : { execution_mode: true }
  return {
    ...defaults,
    ...before,
    ...rest,
    infra_version: rest.infra_version ?? before?.infra_version ?? optionsOf(world).toolVersion,
    setting_overwrites: { ...overwrites, ...modeOverwrite, ...setting_overwrites },
    name,
    execution_mode: mode,
    agent_pool: pool,
    global_remote_state:
      rest.global_remote_state ??
      before?.global_remote_state ??
      settingsWithDefaults(world, 'general', { 'default-remote-state-access': true })[
        'default-remote-state-access'
      ],
    project: project ?? before?.project ?? defaultProject(world, organization)?.id ?? null,
  }
}
