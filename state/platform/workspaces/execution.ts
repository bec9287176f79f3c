import type { World } from '../../kernel/worlds/world.ts'
import { organizations } from '../organizations/organizations.ts'
import { defaultProject, type Project, projectWithId } from '../projects/projects.ts'
import type { Workspace } from './workspaces.ts'

type ExecutionSubject = Pick<
  Workspace,
  'organization' | 'project' | 'execution_mode' | 'agent_pool' | 'setting_overwrites'
>

/**
 * Returns the project of a workspace. A workspace without a project belongs to the default project.
 * Returns undefined if the document of an old release contains no projects.
 */
export function projectOf(
  world: World,
  { project, organization }: Pick<Workspace, 'project' | 'organization'>,
): Project | undefined {
  return projectWithId(world, project ?? '') ?? defaultProject(world, organization)
}

/**
 * Returns the execution mode and agent pool that the workspaces of a project inherit. The project's
 * values take precedence over the organization's values. If the mode is not `agent`, the pool is
 * null.
 */
export function inheritedExecution(
  world: World,
  organization: string,
  project: Project | undefined,
): { readonly mode: Workspace['execution_mode']; readonly pool: string | null } {
  const { default_execution_mode, default_agent_pool } = {
    ...world.table(organizations).get(organization),
  }
  const mode = project?.default_execution_mode ?? default_execution_mode ?? 'remote'
  if (mode !== 'agent') return { mode, pool: null }
  return { mode, pool: project?.default_agent_pool ?? default_agent_pool ?? null }
}

/**
 * Returns the execution mode and agent pool of a workspace, inherited unless the workspace
 * overrides them (behaviour/platform#workspace-settings).
 */
export function executionOf(world: World, workspace: ExecutionSubject) {
  const { organization, execution_mode, agent_pool = null, setting_overwrites } = workspace
  const inheritedSettings = inheritedExecution(world, organization, projectOf(world, workspace))
  const mode = setting_overwrites.execution_mode ? execution_mode : inheritedSettings.mode
  return { mode, pool: agent_pool ?? (mode === 'agent' ? inheritedSettings.pool : null) }
}
