import { bool, instant, list, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import type { Project } from '../projects/projects.ts'
import { platformTable } from '../table.ts'
import { removeVariablesOf } from '../variables/variables.ts'
import type { Workspace } from '../workspaces/workspaces.ts'

export const variableSetAttributes = {
  name: text,
  description: text,
  /** Whether the set applies to all workspaces of the organization. */
  global: bool,
  /** Whether the variables of the set override the variables of workspaces and runs. */
  priority: bool,
  created_at: instant,
  updated_at: instant,
}

const setShape = struct({
  ...variableSetAttributes,
  /** Id of the form `varset-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Id of the project that owns the set; null if the organization owns it. */
  project: nullable(text),
  /** Ids of the workspaces to which the set is assigned. */
  workspaces: list(text),
  /** Ids of the projects to which the set is assigned. */
  projects: list(text),
})

/**
 * A set of variables, and the workspaces and projects to which the set is assigned
 * (behaviour/platform#variable-sets).
 */
export interface VariableSet extends StoredOf<typeof setShape> {}

/** Variable sets by `<organization>/<number>`, numbered in creation order. */
export const variableSets = platformTable('variable-sets', setShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
  },
})

const rows = ownedRows(variableSets, 'organization')

/**
 * Functions of `ownedRows` for the variable sets of an organization. `moveVariableSets` moves the
 * sets of an organization that is renamed.
 */
export const { withId: variableSetWithId, put: putVariableSet, move: moveVariableSets } = rows

/**
 * Returns the variable set with the given name in an organization; undefined if no set has this
 * name.
 */
export const variableSetNamed = lookupByName(variableSets)

/** Returns the variable sets of an organization, sorted by name. */
export function variableSetsOf(world: World, organization: string): VariableSet[] {
  return Array.from(world.table(variableSets).index('byName').rows(`${organization}/`))
}

/** Deletes a variable set with its variables. Must run inside a transaction. */
export function dropVariableSet(world: World, set: VariableSet): void {
  removeVariablesOf(world, set.id)
  rows.drop(world, set)
}

/** Removes a workspace from all variable sets. Must run inside a transaction. */
export function dropWorkspaceFromSets(world: World, { id, organization }: Workspace): void {
  for (const set of variableSetsOf(world, organization)) {
    if (!set.workspaces.includes(id)) continue
    putVariableSet(world, { ...set, workspaces: set.workspaces.filter((each) => each !== id) })
  }
}

/**
 * Deletes the variable sets that a deleted project owned, and removes the project from all other
 * sets. Must run inside a transaction.
 */
export function dropProjectFromSets(world: World, { id, organization }: Project): void {
  for (const set of variableSetsOf(world, organization)) {
    if (set.project === id) dropVariableSet(world, set)
    else if (set.projects.includes(id)) {
      putVariableSet(world, { ...set, projects: set.projects.filter((each) => each !== id) })
    }
  }
}

/** Deletes the variable sets of an organization. Must run inside a transaction. */
export function dropVariableSets(world: World, organization: string): void {
  for (const set of variableSetsOf(world, organization)) dropVariableSet(world, set)
}
