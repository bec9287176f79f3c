import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { agentPoolWithId, dropTargetFromPools } from '../agents/agent-pools.ts'
import { refuse } from '../messages.ts'
import { isActivityDuration, isBlank, type TextInput, updatedText } from '../names.ts'
import { organizations } from '../organizations/organizations.ts'
import { dropTargetFromPolicySets } from '../policies/policy-sets.ts'
import {
  bindingsOf,
  replacedBindings,
  type TagBinding,
  type TagInput,
  withBindings,
} from '../tags/tags.ts'
import { dropAccessTo } from '../team-access/team-access.ts'
import { dropProjectFromSets } from '../variable-sets/variable-sets.ts'
import { Violations } from '../violations.ts'
import { hasWorkspaceRight } from '../workspaces/rights.ts'
import { putWorkspace, workspacesIn, workspaceWithId } from '../workspaces/workspaces.ts'
import { addProject, dropProject, type Project, projectNamed, putProject } from './projects.ts'

/** Attributes in a request that creates or changes a project. A null `name` is treated as blank. */
interface ProjectInput
  extends TextInput<
    | 'name'
    | 'description'
    | 'default_execution_mode'
    | 'default_agent_pool_id'
    | 'auto_destroy_activity_duration'
  > {
  /** Complete list of tags, which replaces the tags of the project. */
  readonly tags?: readonly TagInput[]
  /**
   * Flags for the organization's defaults: true if the project overrides the default. False resets
   * the setting to the organization's default.
   */
  readonly setting_overwrites?: {
    readonly default_execution_mode?: boolean
    readonly default_agent_pool?: boolean
  }
}

const [minNameLength, maxNameLength, maxDescriptionLength] = [3, 40, 256]

/** Adds a project. Throws 422 for invalid attributes (behaviour/platform#projects). */
export function createProject(world: World, organization: string, input: ProjectInput): Project {
  const validated = validate(world, organization, input)
  return world.write(() =>
    addProject(world, organization, { ...validated, ...tagsAfter(world, [], input.tags) }),
  )
}

export function changeProject(world: World, project: Project, input: ProjectInput): Project {
  const validated = validate(world, project.organization, input, project)
  return world.write(() => {
    const tags = tagsAfter(world, bindingsOf(project), input.tags)
    return putProject(world, { ...project, ...validated, ...tags })
  })
}

/**
 * Returns an object with the new `tag_bindings` of a project. The object is empty if the request
 * has no member `tags`.
 */
function tagsAfter(
  world: World,
  before: readonly TagBinding[],
  sent: readonly TagInput[] | undefined,
) {
  return sent === undefined ? {} : { tag_bindings: replacedBindings(world, before, sent) }
}

/** Adds tags to a project or changes their values. Returns the tags in the order of the request. */
export function bindProjectTags(
  world: World,
  project: Project,
  sent: readonly TagInput[],
): TagBinding[] {
  return world.write(() => {
    const tag_bindings = withBindings(world, bindingsOf(project), sent)
    putProject(world, { ...project, tag_bindings })
    return sent.flatMap(({ key }) => tag_bindings.filter((one) => one.key === key))
  })
}

/**
 * Deletes a project with its team access, its notification configurations and the variable sets
 * that it owns. Removes the project from other variable sets, policy sets and agent pools. Throws
 * 403 for the default project, and for a project with workspaces.
 */
export function deleteProject(world: World, project: Project): void {
  if (project.is_default) throw refuse('default-project-stays')
  if (workspacesIn(world, project).length > 0) throw refuse('project-in-use')
  world.write(() => {
    dropProjectFromSets(world, project)
    dropAccessTo(world, project.id)
    dropTargetFromPools(world, project)
    dropTargetFromPolicySets(world, project)
    dropProject(world, project)
  })
}

/**
 * Moves workspaces into a project. Throws 403, and moves no workspace, if a workspace is unknown or
 * in another organization, or if the caller may not move a workspace.
 */
export function moveWorkspacesTo(
  world: World,
  caller: Caller,
  project: Project,
  ids: readonly string[],
): void {
  const found = ids.map((id) => workspaceWithId(world, id))
  const movableWorkspaces = found.filter(
    (workspace) =>
      workspace?.organization === project.organization &&
      hasWorkspaceRight(world, caller, workspace, 'move'),
  )
  const refusedIds = ids.filter((_id, index) => !movableWorkspaces.includes(found[index]))
  if (refusedIds.length > 0) throw refuse('workspaces-unmovable', { ids: refusedIds.join(', ') })
  const updated_at = world.clock.now()
  world.write(() => {
    for (const workspace of movableWorkspaces) {
      if (workspace === undefined) continue
      putWorkspace(world, { ...workspace, project: project.id, updated_at })
    }
  })
}

const executionModes = ['remote', 'local', 'agent'] as const

function validate(world: World, organization: string, input: ProjectInput, before?: Project) {
  const violations = new Violations()
  const name = updatedText(input.name, before?.name)
  const length = [...name].length
  if (isBlank(name)) violations.add('name', 'blank')
  else if (!/^[A-Za-z0-9_-](?:[A-Za-z0-9_ -]*[A-Za-z0-9_-])?$/.test(name)) {
    violations.add('name', 'name-characters')
  } else if (length < minNameLength) violations.add('name', 'too-short', { limit: minNameLength })
  else if (length > maxNameLength) violations.add('name', 'too-long', { limit: maxNameLength })
  else if (name !== before?.name && projectNamed(world, organization, name) !== undefined) {
    violations.add('name', 'taken')
  }
  const { description = before?.description ?? null } = input
  if ([...(description ?? '')].length > maxDescriptionLength) {
    violations.add('description', 'too-long', { limit: maxDescriptionLength })
  }
  const mode = input.default_execution_mode ?? undefined
  const knownMode = executionModes.find((one) => one === mode)
  if (mode !== undefined && knownMode === undefined) {
    violations.add('default-execution-mode', 'not-listed')
  }
  const { auto_destroy_activity_duration: duration = before?.auto_destroy_activity_duration } =
    input
  if (!isBlank(duration) && !isActivityDuration(duration)) {
    violations.add('auto-destroy-activity-duration', 'activity-duration')
  }
  const { default_execution_mode: overwritesMode, default_agent_pool: overwritesPool } = {
    ...input.setting_overwrites,
  }
  const areBothSent = overwritesMode !== undefined && overwritesPool !== undefined
  if (areBothSent && overwritesMode !== overwritesPool) throw refuse('overwrites-differ')
  const default_execution_mode =
    overwritesMode === false ? null : (knownMode ?? before?.default_execution_mode ?? null)
  const organizationRow = world.table(organizations).get(organization)
  const executionMode = default_execution_mode ?? organizationRow?.default_execution_mode
  const keptPool = executionMode === 'agent' ? before?.default_agent_pool : null
  const { default_agent_pool_id: pool = keptPool } = input
  const default_agent_pool = overwritesPool === false || isBlank(pool) ? null : pool
  if (default_agent_pool !== null) {
    if (executionMode !== 'agent') violations.add('default-agent-pool', 'pool-without-agents')
    else if (agentPoolWithId(world, default_agent_pool)?.organization !== organization) {
      violations.add('default-agent-pool', 'invalid')
    }
  } else if (knownMode === 'agent' && isBlank(organizationRow?.default_agent_pool)) {
    violations.add('default-agent-pool', 'agents-without-pool')
  }
  violations.check()
  return {
    name,
    description,
    default_execution_mode,
    default_agent_pool,
    auto_destroy_activity_duration: isBlank(duration) ? null : duration,
  }
}
