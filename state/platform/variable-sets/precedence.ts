import type { World } from '../../kernel/worlds/world.ts'
import type { Project } from '../projects/projects.ts'
import { type Variable, variablesOf } from '../variables/variables.ts'
import { projectOf } from '../workspaces/execution.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { type VariableSet, variableSetsOf } from './variable-sets.ts'

/** Sources of the variables of a workspace, highest precedence first. */
const sources = [
  'priority global',
  'priority organization project',
  'priority organization workspace',
  'priority project project',
  'priority project workspace',
  'run',
  'workspace',
  'project workspace',
  'project project',
  'organization workspace',
  'organization project',
  'global',
] as const

/** Source of variables of a workspace: the owner of the set, then where the set is assigned. */
type VariableSource = (typeof sources)[number]

/**
 * Returns how a set applies to a workspace: the sources of its variables; empty if the set does not
 * apply.
 */
function sourcesOf(
  { global, priority, project, workspaces, projects }: VariableSet,
  workspace: Pick<Workspace, 'id'>,
  projectId: string | undefined,
): VariableSource[] {
  const prefix = priority ? 'priority ' : ''
  if (global) return [`${prefix}global`]
  // A workspace that left the project of the set does not get its variables.
  if (project !== null && project !== projectId) return []
  const owner = project === null ? 'organization' : 'project'
  const found: VariableSource[] = []
  if (workspaces.includes(workspace.id)) found.push(`${prefix}${owner} workspace`)
  if (projectId !== undefined && projects.includes(projectId)) {
    found.push(`${prefix}${owner} project`)
  }
  return found
}

/** Returns the sets that apply to a workspace, sorted by name. */
export function setsOnWorkspace(world: World, workspace: Workspace): VariableSet[] {
  const project = projectOf(world, workspace)?.id
  return variableSetsOf(world, workspace.organization).filter(
    (set) => sourcesOf(set, workspace, project).length > 0,
  )
}

/** Returns the sets that apply to all workspaces of a project, sorted by name. */
export function setsOnProject(world: World, { id, organization }: Project): VariableSet[] {
  return variableSetsOf(world, organization).filter(
    ({ global, projects }) => global || projects.includes(id),
  )
}

/** Returns the effective variables of the workspace with an id; none without such a workspace. */
export function effectiveVariablesIn(world: World, workspace: string): Variable[] {
  const found = workspaceWithId(world, workspace)
  return found === undefined ? [] : effectiveVariables(world, found)
}

/**
 * Returns the variables that runs of a workspace have, the winners first: of those with the same
 * key and category, only the one from the first entry of `sources`, and of several sets in one
 * source the one whose name is lexically first (behaviour/platform#variable-precedence).
 * `runVariables` are those of the run itself.
 */
export function effectiveVariables(
  world: World,
  workspace: Workspace,
  runVariables: readonly Variable[] = [],
): Variable[] {
  const project = projectOf(world, workspace)?.id
  const found = new Map<VariableSource, Variable[]>([
    ['run', [...runVariables]],
    ['workspace', [...variablesOf(world, workspace.id)]],
  ])
  for (const set of variableSetsOf(world, workspace.organization)) {
    for (const source of sourcesOf(set, workspace, project)) {
      found.set(source, [...(found.get(source) ?? []), ...variablesOf(world, set.id)])
    }
  }
  const winners = new Map<string, Variable>()
  for (const variable of sources.flatMap((source) => found.get(source) ?? [])) {
    const name = `${variable.category}/${variable.key}`
    if (!winners.has(name)) winners.set(name, variable)
  }
  return [...winners.values()]
}
