import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { projectWithId } from '../projects/projects.ts'
import {
  changeVariable,
  createVariable,
  type Variable,
  type VariableInput,
  variablesOf,
} from '../variables/variables.ts'
import { Violations } from '../violations.ts'
import { projectOf } from '../workspaces/execution.ts'
import { hasWorkspaceRight } from '../workspaces/rights.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { managesVariableSets } from './rights.ts'
import {
  dropVariableSet,
  putVariableSet,
  type VariableSet,
  variableSetNamed,
  variableSetsOf,
} from './variable-sets.ts'

/**
 * Members of a request that creates or changes a variable set. Null is treated as a blank string.
 */
export interface VariableSetInput extends TextInput<'name' | 'description'> {
  readonly global?: boolean
  readonly priority?: boolean
  /** Id of the project that owns the set; null if the organization owns it. */
  readonly project?: string | null
  /** Ids of all workspaces to which the set is assigned after the request. */
  readonly workspaces?: readonly string[]
  /** Ids of all projects to which the set is assigned after the request. */
  readonly projects?: readonly string[]
  /** Variables to add. */
  readonly variables?: readonly VariableInput[]
}

/**
 * Adds a variable set that an organization or a project owns (behaviour/platform#variable-sets).
 * Throws 404 if the caller may not manage the owner's variable sets, if a project or workspace in
 * the request is unknown or does not belong to the owner, or if a workspace is hidden from the
 * caller. Throws 422 for invalid attributes, and if the set is global and another global set has a
 * variable with an equal key and category.
 */
export function createVariableSet(
  world: World,
  caller: Caller,
  organization: string,
  input: VariableSetInput,
): VariableSet {
  const { project = null } = input
  if (project !== null && projectWithId(world, project)?.organization !== organization) {
    throw refuse('not-found')
  }
  if (!managesVariableSets(world, caller, { organization, project })) throw refuse('not-found')
  const now = world.clock.now()
  return store(world, caller, input, {
    id: newId(world, 'varset'),
    organization,
    project,
    name: '',
    description: '',
    global: false,
    priority: false,
    workspaces: [],
    projects: [],
    created_at: now,
    updated_at: now,
  })
}

export function changeVariableSet(
  world: World,
  caller: Caller,
  set: VariableSet,
  input: VariableSetInput,
): VariableSet {
  return store(world, caller, input, set)
}

/**
 * Validates a variable set after a change and stores it with its new variables. Throws 422 for
 * invalid attributes, and if the set is global and another global set has a variable with an equal
 * key and category. Throws 404 if the set is newly assigned to a workspace or project that is
 * unknown or does not belong to the owner of the set, or to a workspace that is hidden from the
 * caller.
 */
function store(
  world: World,
  caller: Caller,
  input: VariableSetInput,
  before: VariableSet,
): VariableSet {
  const { id, organization, project } = before
  const violations = new Violations()
  const name = updatedText(input.name, before.name)
  const { global = before.global, priority = before.priority } = input
  const other = variableSetNamed(world, organization, name)
  if (isBlank(name)) violations.add('name', 'blank')
  else if (other !== undefined && other.id !== id) violations.add('name', 'taken')
  if (project !== null && global) violations.add('global', 'owned-by-project')
  if ((input.project ?? null) !== project && input.project !== undefined) {
    violations.add('parent', 'not-changeable')
  }
  violations.check()
  const { workspaces = before.workspaces, projects = before.projects } = input
  const after: VariableSet = {
    ...before,
    name,
    description: updatedText(input.description, before.description),
    global,
    priority,
    workspaces: global ? [] : [...new Set(workspaces)],
    projects: global ? [] : [...new Set(projects)],
    updated_at: world.clock.now(),
  }
  const isNew = (each: string) => ![...before.workspaces, ...before.projects].includes(each)
  for (const each of after.workspaces.filter(isNew)) checkWorkspace(world, caller, after, each)
  for (const each of after.projects.filter(isNew)) checkProject(world, after, each)
  return world.write(() => {
    putVariableSet(world, after)
    for (const variable of input.variables ?? []) createVariable(world, id, variable)
    if (global) for (const variable of variablesOf(world, id)) checkClash(world, after, variable)
    return after
  })
}

/** Deletes a variable set with its variables. */
export function deleteVariableSet(world: World, set: VariableSet): void {
  world.write(() => dropVariableSet(world, set))
}

/**
 * Assigns a variable set to workspaces or projects, or removes the assignment. Throws 422 for a
 * global set. Throws 404 for a target that is unknown or does not belong to the owner of the set,
 * and for a workspace that is hidden from the caller.
 */
export function assignVariableSet(
  world: World,
  caller: Caller,
  set: VariableSet,
  kind: 'workspaces' | 'projects',
  ids: readonly string[],
  change: 'add' | 'remove',
): void {
  if (set.global) throw refuse('variable-set-global')
  for (const id of ids) {
    if (kind === 'projects') checkProject(world, set, id)
    else checkWorkspace(world, caller, set, id)
  }
  const others = set[kind].filter((each) => !ids.includes(each))
  const after = change === 'add' ? [...new Set([...set[kind], ...ids])] : others
  const updated_at = world.clock.now()
  world.write(() => putVariableSet(world, { ...set, [kind]: after, updated_at }))
}

/**
 * Throws 404 unless the set can be assigned to the workspace and the caller may see the workspace.
 */
function checkWorkspace(
  world: World,
  caller: Caller,
  { organization, project }: VariableSet,
  id: string,
): void {
  const workspace = requireFound(workspaceWithId(world, id))
  const isInside = project === null || projectOf(world, workspace)?.id === project
  const isVisible =
    workspace.organization === organization &&
    hasWorkspaceRight(world, caller, workspace, 'visible')
  if (!isInside || !isVisible) throw refuse('not-found')
}

/** Throws 404 unless the set can be assigned to the project. */
function checkProject(world: World, { organization, project }: VariableSet, id: string): void {
  const found = requireFound(projectWithId(world, id))
  const isInside = project === null || found.id === project
  if (!isInside || found.organization !== organization) throw refuse('not-found')
}

/**
 * Adds a variable to a set and updates `updated_at` of the set. Throws 422 for invalid attributes.
 * Throws 422 if the set is global and another global set has a variable with an equal key and
 * category.
 */
export function addVariableToSet(world: World, set: VariableSet, input: VariableInput): Variable {
  return world.write(() => touchVariableSet(world, set, createVariable(world, set.id, input)))
}

/**
 * Changes a variable of a set and updates `updated_at` of the set. Throws like `addVariableToSet`.
 */
export function changeVariableOfSet(
  world: World,
  set: VariableSet,
  variable: Variable,
  input: VariableInput,
): Variable {
  return world.write(() => touchVariableSet(world, set, changeVariable(world, variable, input)))
}

/**
 * Sets `updated_at` of a set after one of its variables was added or changed. Returns the variable.
 * Throws like `checkClash`. Must run inside a transaction.
 */
function touchVariableSet(world: World, set: VariableSet, variable: Variable): Variable {
  checkClash(world, set, variable)
  putVariableSet(world, { ...set, updated_at: world.clock.now() })
  return variable
}

/**
 * Throws 422 if the set is global and another global set has a variable with the key and category
 * of the given variable.
 */
function checkClash(
  world: World,
  { id, organization, global }: VariableSet,
  { key, category }: Variable,
): void {
  if (!global) return
  const other = variableSetsOf(world, organization).find(
    (set) =>
      set.global &&
      set.id !== id &&
      variablesOf(world, set.id).some((one) => one.key === key && one.category === category),
  )
  if (other !== undefined) throw refuse('variable-in-other-set', { key, name: other.name })
}
