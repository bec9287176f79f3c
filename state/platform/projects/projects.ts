import { bool, instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { newId } from '../ids.ts'
import { dropConfigurationsOf } from '../notifications/configurations.ts'
import { storedBindings } from '../tags/tags.ts'

const executionMode = word('remote', 'local', 'agent')

/** Attributes of a project as the API returns them. */
export const projectAttributes = {
  name: text,
  description: nullable(text),
  created_at: instant,
  auto_destroy_activity_duration: optional(nullable(text)),
}

const projectShape = struct({
  ...projectAttributes,
  /** Id of the form `prj-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /**
   * Whether this is the organization's default project, which holds workspaces that name no
   * project.
   */
  is_default: bool,
  /** Tags of the project; its workspaces inherit them. */
  tag_bindings: optional(storedBindings),
  /** Execution mode of its workspaces; null if the organization decides. */
  default_execution_mode: optional(nullable(executionMode)),
  /** Id of the agent pool of its workspaces; null if the organization decides. */
  default_agent_pool: optional(nullable(text)),
})

/** A project of an organization; it holds workspaces (behaviour/platform#beyond). */
export interface Project extends StoredOf<typeof projectShape> {}

/** Projects by `<organization>/<number>`, numbered in creation order. */
export const projects = defineTable({
  service: 'platform',
  name: 'projects',
  secrets: 'none',
  shape: projectShape,
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
    usual: ({ organization, is_default }) => (is_default ? organization : undefined),
  },
})

/** Name of the project that a new organization has. */
const defaultName = 'Default Project'

/** Adds a project under a free name. Must run inside a transaction. */
export function addProject(
  world: World,
  organization: string,
  attributes: Pick<Project, 'name' | 'description'> & Partial<Project>,
): Project {
  const table = world.table(projects)
  const project: Project = {
    id: newId(world, 'prj'),
    organization,
    created_at: world.clock.now(),
    is_default: false,
    ...attributes,
  }
  table.put(nextKey(table, `${organization}/`), project)
  return project
}

/** Adds the default project of an organization. Must run inside a transaction. */
export function addDefaultProject(world: World, organization: string): Project {
  return addProject(world, organization, {
    name: defaultName,
    description: null,
    is_default: true,
  })
}

/**
 * Returns the default project of an organization, or undefined if it comes from an old document
 * without one.
 */
export function defaultProject(world: World, organization: string): Project | undefined {
  return world.table(projects).index('usual').get(organization)
}

/** Returns the projects of an organization, oldest first. */
export function projectsOf(world: World, organization: string): Project[] {
  return Array.from(world.table(projects).rows(`${organization}/`))
}

/** Returns the project with this id, if it exists. */
export function projectWithId(world: World, id: string): Project | undefined {
  return world.table(projects).index('byId').get(id)
}

/** Returns the project with this name in an organization, if it exists. */
export function projectNamed(
  world: World,
  organization: string,
  name: string,
): Project | undefined {
  return world.table(projects).index('byName').get(`${organization}/${name}`)
}

/** Stores a changed project. Must run inside a transaction. */
export function putProject(world: World, project: Project): Project {
  const table = world.table(projects)
  table.put(table.index('byId').keyOf(project.id) ?? '', project)
  return project
}

/** Deletes a project. Must run inside a transaction. */
export function dropProject(world: World, { id }: Project): void {
  const table = world.table(projects)
  table.delete(table.index('byId').keyOf(id) ?? '')
  dropConfigurationsOf(world, id)
}

/** Deletes the projects of an organization. Must run inside a transaction. */
export function dropProjects(world: World, organization: string): void {
  for (const { id } of projectsOf(world, organization)) dropConfigurationsOf(world, id)
  world.table(projects).deleteAll(`${organization}/`)
}

/** Moves the projects of an organization to its new name. Must run inside a transaction. */
export function moveProjects(world: World, before: string, organization: string): void {
  const table = world.table(projects)
  for (const [key, project] of Array.from(table.entries(`${before}/`))) {
    table.delete(key)
    table.put(organization + key.slice(before.length), { ...project, organization })
  }
}
