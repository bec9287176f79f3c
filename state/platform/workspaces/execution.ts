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

/**
 * Returns the execution mode and the agent pool that workspaces of a project have unless they
 * overwrite them. A project without a mode of its own follows its organization.
 */
export function inheritedExecution(
  world: World,
  organization: string,
  project: Project | undefined,
): { readonly mode: Workspace['execution_mode']; readonly pool: string | null } {
  const { default_execution_mode, default_agent_pool } = {
    ...world.table(organizations).get(organization),
  }
  const projectMode = project?.default_execution_mode ?? undefined
  const mode = projectMode ?? default_execution_mode ?? 'remote'
  if (mode !== 'agent') return { mode, pool: null }
  const poolOfOrganization = projectMode === undefined ? default_agent_pool : undefined
  return { mode, pool: project?.default_agent_pool ?? poolOfOrganization ?? null }
}

/**
 * Returns how a workspace executes runs: its own mode and agent pool, or those that it inherits
 * from its project and its organization (behaviour/platform#workspace-settings).
 */
export function executionOf(world: World, workspace: ExecutionSubject) {
  const { organization, execution_mode, agent_pool = null, setting_overwrites } = workspace
  const inherited = inheritedExecution(world, organization, projectOf(world, workspace))
  const mode = setting_overwrites.execution_mode ? execution_mode : inherited.mode
  return { mode, pool: agent_pool ?? (mode === 'agent' ? inherited.pool : null) }
}
