import type { World } from '../../kernel/worlds/world.ts'
import type { Project } from '../projects/projects.ts'
import { type Variable, variablesOf } from '../variables/variables.ts'
import { projectOf } from '../workspaces/execution.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { type VariableSet, variableSetsOf } from './variable-sets.ts'

/** Sources of a workspace's variables, highest precedence first. */
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

/**
 * Source of a variable: `run`, `workspace`, or a variable set. The source of a set is `global`, or
 * consists of the owner of the set and the kind of object to which the set is assigned. For a
 * priority set, the source begins with `priority`.
 */
type VariableSource = (typeof sources)[number]

/**
 * Returns the sources that the variables of a set have in a workspace; empty if the set does not
 * apply to the workspace.
 */
function sourcesOf(
  { global, priority, project, workspaces, projects }: VariableSet,
  workspace: Pick<Workspace, 'id'>,
  projectId: string | undefined,
): VariableSource[] {
  const prefix = priority ? 'priority ' : ''
  if (global) return [`${prefix}global`]
  // A workspace that was moved out of the owning project keeps the assignment, but gets no
  // variables from the set.
  if (project !== null && project !== projectId) return []
  const owner = project === null ? 'organization' : 'project'
  const found: VariableSource[] = []
  if (workspaces.includes(workspace.id)) found.push(`${prefix}${owner} workspace`)
  if (projectId !== undefined && projects.includes(projectId)) {
    found.push(`${prefix}${owner} project`)
  }
  return found
}

/** Returns the variable sets that apply to a workspace, sorted by name. */
export function setsOnWorkspace(world: World, workspace: Workspace): VariableSet[] {
  const project = projectOf(world, workspace)?.id
  return variableSetsOf(world, workspace.organization).filter(
    (set) => sourcesOf(set, workspace, project).length > 0,
  )
}

/** Returns the variable sets that apply to all workspaces of a project, sorted by name. */
export function setsOnProject(world: World, { id, organization }: Project): VariableSet[] {
  return variableSetsOf(world, organization).filter(
    ({ global, projects }) => global || projects.includes(id),
  )
}

/** Returns the effective variables of a workspace; empty for an unknown id. */
export function effectiveVariablesIn(world: World, workspace: string): Variable[] {
  const found = workspaceWithId(world, workspace)
  return found === undefined ? [] : effectiveVariables(world, found)
}

/**
 * Returns the variables of the runs in a workspace, highest precedence first
 * (behaviour/platform#variable-precedence). Of several variables with an equal key and category,
 * only the first is returned. Sets with an equal source are ordered by name. `runVariables` are the
 * variables of the run itself.
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
  const variablesByName = new Map<string, Variable>()
  for (const variable of sources.flatMap((source) => found.get(source) ?? [])) {
    const name = `${variable.category}/${variable.key}`
    if (!variablesByName.has(name)) variablesByName.set(name, variable)
  }
  return [...variablesByName.values()]
}
