import { parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { agentPoolWithId, allowsWorkspace } from '../agents/agent-pools.ts'
import { isActivityDuration, isBlank, isPlainName, type TextInput, updatedText } from '../names.ts'
import { optionsOf } from '../options.ts'
import { defaultProject } from '../projects/projects.ts'
import { settingsWithDefaults } from '../settings/settings.ts'
import type { TagInput } from '../tags/tags.ts'
import { Violations } from '../violations.ts'
import { inheritedExecution, projectOf } from './execution.ts'
import { checkRepository, connectedRepository, type RepositoryInput } from './repository.ts'
import type { TagReference } from './tags.ts'
import { attributeDefaults, type Workspace, workspaceNamed } from './workspaces.ts'

const versionPattern = 'v?\\d+(?:\\.\\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?'
const constraintPattern = `\\s*(?:=|!=|>=?|<=?|~>)?\\s*${versionPattern}\\s*`
const versionRequest = new RegExp(`^(?:latest|${constraintPattern}(?:,${constraintPattern})*)$`)

/**
 * Returns whether a text is a tool version, `latest`, or constraints such as `>= 1.5, < 2`
 * (behaviour/platform#workspace-settings).
 */
function isVersionRequest(text: string): boolean {
  return text.length <= 256 && versionRequest.test(text)
}

/** Settings that have the same type in a request as in a stored workspace. */
type PlainSettings = Pick<
  Workspace,
  | 'description'
  | 'auto_apply'
  | 'auto_apply_run_trigger'
  | 'allow_destroy_plan'
  | 'assessments_enabled'
  | 'file_triggers_enabled'
  | 'queue_all_runs'
  | 'speculative_enabled'
  | 'structured_run_output_enabled'
  | 'trigger_prefixes'
  | 'trigger_patterns'
  | 'working_directory'
  | 'source_name'
  | 'source_url'
  | 'tag_names'
  | 'inherits_project_auto_destroy'
>

const settingDefaults = {
  ...attributeDefaults,
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

/**
 * Members of a request that creates or changes a workspace. In text members, null is treated as a
 * blank string.
 */
export interface WorkspaceInput
  extends Partial<PlainSettings>,
    TextInput<
      | 'name'
      | 'execution_mode'
      | 'infra_version'
      | 'agent_pool_id'
      | 'auto_destroy_at'
      | 'auto_destroy_activity_duration'
      | 'migration_environment'
    > {
  /** Deprecated: false means the execution mode `local`. */
  readonly operations?: boolean
  readonly global_remote_state?: boolean
  readonly project_remote_state?: boolean
  readonly setting_overwrites?: Partial<Workspace['setting_overwrites']>
  /** Repository to connect; null disconnects the current repository. */
  readonly repository?: RepositoryInput | null
  /** Project id. */
  readonly project?: string
  /** Flat tags to add to the existing tags. */
  readonly added_tags?: readonly TagReference[]
  /** All tags of the workspace after the request. */
  readonly tags?: readonly TagInput[]
}

const maxNameLength = 90
const executionModes = ['remote', 'local', 'agent'] as const

/**
 * Validates a request and returns all settings that the workspace has after the request. Throws 422
 * with all broken rules (behaviour/platform#workspace-settings), and throws like
 * `connectedRepository`. The caller checks the project and the tags.
 */
export function validatedSettings(
  world: World,
  organization: string,
  input: WorkspaceInput,
  before?: Workspace,
) {
  const {
    name: _name,
    execution_mode: _mode,
    operations: _operations,
    setting_overwrites: _overwrites,
    agent_pool_id: _pool,
    project,
    global_remote_state: _global,
    project_remote_state: _inProject,
    auto_destroy_at: _destruction,
    auto_destroy_activity_duration: _duration,
    repository,
    tags: _tags,
    added_tags: _addedTags,
    infra_version,
    migration_environment,
    ...plainSettings
  } = input
  const violations = new Violations()
  const name = validName(world, organization, input, violations, before)
  const execution = validExecution(world, organization, input, violations, before)
  checkTriggers(input, violations, before)
  checkRepository(repository, violations, before?.repository ?? null)
  const sharing = validSharing(world, input, violations, before)
  const autoDestroy = validAutoDestroy(input, violations, before)
  const version = isBlank(infra_version) ? undefined : infra_version
  if (version !== undefined && !isVersionRequest(version))
    violations.add('infra-version', 'invalid')
  violations.check()
  return {
    ...settingDefaults,
    ...before,
    ...plainSettings,
    ...execution,
    ...sharing,
    ...autoDestroy,
    name,
    repository: connectedRepository(world, organization, repository, before?.repository ?? null),
    infra_version: version ?? before?.infra_version ?? optionsOf(world).toolVersion,
    migration_environment: updatedText(migration_environment, before?.migration_environment),
    project: project ?? before?.project ?? defaultProject(world, organization)?.id ?? null,
  }
}

function validName(
  world: World,
  organization: string,
  input: WorkspaceInput,
  violations: Violations,
  before?: Workspace,
): string {
  const name = updatedText(input.name, before?.name)
  if (isBlank(name)) violations.add('name', 'blank')
  else if (!isPlainName(name) || name.length > maxNameLength) violations.add('name', 'invalid')
  else if (name !== before?.name && workspaceNamed(world, organization, name) !== undefined) {
    violations.add('name', 'taken')
  }
  return name
}

/**
 * Returns the execution mode that a request sets, with `execution_mode` or the deprecated
 * `operations`. Returns undefined if the request contains no mode.
 */
function requestedMode({ execution_mode, operations }: WorkspaceInput, before?: Workspace) {
  if (execution_mode != null) return execution_mode
  if (operations === undefined) return undefined
  if (!operations) return 'local'
  return before?.execution_mode === 'agent' ? 'agent' : 'remote'
}

function validExecution(
  world: World,
  organization: string,
  input: WorkspaceInput,
  violations: Violations,
  before?: Workspace,
): Pick<Workspace, 'execution_mode' | 'agent_pool' | 'setting_overwrites'> {
  const requested = requestedMode(input, before)
  if (input.operations !== undefined && input.execution_mode != null) {
    violations.add('operations', 'not-with-mode')
  }
  if (input.setting_overwrites?.execution_mode === true && requested === undefined) {
    violations.add('setting-overwrites/execution-mode', 'needs-mode')
  }
  const setting_overwrites = {
    ...(before?.setting_overwrites ?? settingDefaults.setting_overwrites),
    ...(requested === undefined ? {} : { execution_mode: true }),
    ...input.setting_overwrites,
  }
  const project = projectOf(world, {
    organization,
    project: input.project ?? before?.project ?? null,
  })
  const inherited = inheritedExecution(world, organization, project)
  const requestedOrKeptMode = requested ?? before?.execution_mode ?? inherited.mode
  const execution_mode = executionModes.find(
    (one) => one === (setting_overwrites.execution_mode ? requestedOrKeptMode : inherited.mode),
  )
  const isRequestKnown = executionModes.some((one) => one === (requested ?? 'remote'))
  if (!isRequestKnown || execution_mode === undefined)
    violations.add('execution-mode', 'not-listed')

  const keptPool = execution_mode === 'agent' ? (before?.agent_pool ?? null) : null
  const { agent_pool_id } = input
  const agent_pool = agent_pool_id === undefined ? keptPool : agent_pool_id || null
  if (execution_mode === 'agent') {
    if (isBlank(agent_pool ?? inherited.pool)) violations.add('agent-pool', 'blank')
  } else if (agent_pool !== null) violations.add('agent-pool', 'not-blank')
  if (execution_mode === 'agent' && agent_pool !== null && agent_pool !== before?.agent_pool) {
    const pool = agentPoolWithId(world, agent_pool)
    if (pool?.organization !== organization) violations.add('agent-pool', 'invalid')
    else if (!allowsWorkspace(pool, before?.id, project?.id)) {
      violations.add('agent-pool', 'pool-closed')
    }
  }
  return { execution_mode: execution_mode ?? 'remote', agent_pool, setting_overwrites }
}

function checkTriggers(input: WorkspaceInput, violations: Violations, before?: Workspace): void {
  const prefixes = input.trigger_prefixes ?? before?.trigger_prefixes ?? []
  const patterns = input.trigger_patterns ?? before?.trigger_patterns ?? []
  if (prefixes.length > 0 && patterns.length > 0) {
    violations.add('trigger-patterns', 'not-with-prefixes')
  }
  const { repository } = input
  const regex =
    repository === null
      ? ''
      : updatedText(repository?.tags_regex, before?.repository?.tags_regex ?? '')
  if (regex !== '' && prefixes.length + patterns.length > 0) {
    violations.add('vcs-repo/tags-regex', 'not-with-triggers')
  }
}

/**
 * Returns the flags that decide which workspaces may read the state. Turning on one flag turns off
 * the other flag. Adds a violation if the request turns on both flags.
 */
function validSharing(
  world: World,
  { global_remote_state, project_remote_state }: WorkspaceInput,
  violations: Violations,
  before?: Workspace,
): Required<Pick<Workspace, 'global_remote_state' | 'project_remote_state'>> {
  if (global_remote_state === true && project_remote_state === true) {
    violations.add('project-remote-state', 'not-with-global')
  }
  const { 'default-remote-state-access': isGlobalByDefault } = settingsWithDefaults(
    world,
    'general',
    {
      'default-remote-state-access': true,
    },
  )
  const wasGlobal = before?.global_remote_state ?? isGlobalByDefault
  const wasInProject = before?.project_remote_state ?? false
  return {
    global_remote_state: global_remote_state ?? (project_remote_state !== true && wasGlobal),
    project_remote_state: project_remote_state ?? (global_remote_state !== true && wasInProject),
  }
}

function validAutoDestroy(
  { auto_destroy_at: at, auto_destroy_activity_duration: duration }: WorkspaceInput,
  violations: Violations,
  before?: Workspace,
): Pick<Workspace, 'auto_destroy_at' | 'auto_destroy_activity_duration'> {
  const parsed = isBlank(at) ? null : parseTimestamp(at)
  if (parsed === undefined) violations.add('auto-destroy-at', 'invalid')
  if (!isBlank(duration) && !isActivityDuration(duration)) {
    violations.add('auto-destroy-activity-duration', 'activity-duration')
  }
  const { auto_destroy_at = null, auto_destroy_activity_duration = null } = { ...before }
  return {
    auto_destroy_at: at === undefined ? auto_destroy_at : (parsed ?? null),
    auto_destroy_activity_duration:
      duration === undefined ? auto_destroy_activity_duration : duration || null,
  }
}
