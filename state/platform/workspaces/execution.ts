import type { World } from '../../kernel/worlds/world.ts'
import { organizations } from '../organizations/organizations.ts'
import { defaultProject, type Project, projectWithId } from '../projects/projects.ts'
import type { Workspace } from './workspaces.ts'

type ExecutionSubject = Pick<
  Workspace,
  'organization' | 'project' | 'execution_mode' | 'agent_pool' | 'setting_overwrites'
>

/** Returns the project of a workspace: the default project if the workspace names none. */
export function projectOf(
  world: World,
  { project, organization }: Pick<Workspace, 'project' | 'organization'>,
): Project | undefined {
  return projectWithId(world, project ?? '') ?? defaultProject(world, organization)
}

/** Returns the execution mode that workspaces of a project have unless they overwrite it. */
export function inheritedMode(
  world: World,
  organization: string,
  project: Project | undefined,
): Workspace['execution_mode'] {
  const { default_execution_mode } = { ...world.table(organizations).get(organization) }
  return project?.default_execution_mode ?? default_execution_mode ?? 'remote'
}

/**
 * Returns how a workspace executes runs: its own mode and agent pool, or those that it inherits
 * from its project and its organization (behaviour/platform#workspace-settings).
 */
export function executionOf(world: World, workspace: ExecutionSubject) {
  const { organization, execution_mode, agent_pool = null, setting_overwrites } = workspace
  const project = projectOf(world, workspace)
  const mode = setting_overwrites.execution_mode
    ? execution_mode
    : inheritedMode(world, organization, project)
  const inheritedPool = mode === 'agent' ? (project?.default_agent_pool ?? null) : null
  return { mode, pool: agent_pool ?? inheritedPool }
}
