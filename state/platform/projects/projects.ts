import { bool, instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { dropConfigurationsOf } from '../notifications/configurations.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
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
export const projects = platformTable('projects', projectShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
    usual: ({ organization, is_default }) => (is_default ? organization : undefined),
  },
})

const rows = ownedRows(projects, 'organization')

/**
 * Functions that list the projects of an organization, oldest first, find one by its id, store
 * projects, and move them to the new name of their organization.
 */
export const { of: projectsOf, withId: projectWithId, put: putProject, move: moveProjects } = rows

/** Lookup of a project by the name of its organization and its own name. */
export const projectNamed = lookupByName(projects)

/** Name of the project that a new organization has. */
const defaultName = 'Default Project'

/** Adds a project under a free name. Must run inside a transaction. */
export function addProject(
  world: World,
  organization: string,
  attributes: Pick<Project, 'name' | 'description'> & Partial<Project>,
): Project {
  return rows.put(world, {
    id: newId(world, 'prj'),
    organization,
    created_at: world.clock.now(),
    is_default: false,
    ...attributes,
  })
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

/** Deletes a project. Must run inside a transaction. */
export function dropProject(world: World, project: Project): void {
  rows.drop(world, project)
  dropConfigurationsOf(world, project.id)
}

/** Deletes the projects of an organization. Must run inside a transaction. */
export function dropProjects(world: World, organization: string): void {
  for (const { id } of projectsOf(world, organization)) dropConfigurationsOf(world, id)
  rows.dropAll(world, organization)
}
