import { bool, instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { dropNotificationConfigurations } from '../notifications/configurations.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { tagBindingsShape } from '../tags/tags.ts'

const executionMode = word('remote', 'local', 'agent')

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
   * Whether the project is the default project of the organization. Workspaces without a project
   * belong to the default project.
   */
  is_default: bool,
  /** Tags of the project, which its workspaces inherit. */
  tag_bindings: optional(tagBindingsShape),
  /** Default execution mode of the workspaces; null if the organization's default applies. */
  default_execution_mode: optional(nullable(executionMode)),
  /** Id of the default agent pool of the workspaces; null if the organization's default applies. */
  default_agent_pool: optional(nullable(text)),
})

/** A project: a group of workspaces in an organization (behaviour/platform#projects). */
export interface Project extends StoredOf<typeof projectShape> {}

/** Projects by `<organization>/<number>`, numbered in creation order. */
export const projects = platformTable('projects', projectShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
    defaultOf: ({ organization, is_default }) => (is_default ? organization : undefined),
  },
})

const rows = ownedRows(projects, 'organization')

/**
 * Functions of `ownedRows` for the projects of an organization. Lists are in creation order.
 * `moveProjects` moves the projects of an organization that is renamed.
 */
export const { of: projectsOf, withId: projectWithId, put: putProject, move: moveProjects } = rows

/**
 * Returns the project with the given name in an organization, or undefined if no project has that
 * name.
 */
export const projectNamed = lookupByName(projects)

const defaultProjectName = 'Default Project'

/** Adds a project. The name must be free. Must run inside a transaction. */
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

export function addDefaultProject(world: World, organization: string): Project {
  return addProject(world, organization, {
    name: defaultProjectName,
    description: null,
    is_default: true,
  })
}

/**
 * Returns the default project of an organization. Returns undefined if the organization comes from
 * a document of an old release without projects.
 */
export function defaultProject(world: World, organization: string): Project | undefined {
  return world.table(projects).index('defaultOf').get(organization)
}

/** Deletes a project and its notification configurations. Must run inside a transaction. */
export function dropProject(world: World, project: Project): void {
  rows.drop(world, project)
  dropNotificationConfigurations(world, project.id)
}

/**
 * Deletes all projects of an organization and their notification configurations. Must run inside a
 * transaction.
 */
export function dropProjects(world: World, organization: string): void {
  for (const { id } of projectsOf(world, organization)) dropNotificationConfigurations(world, id)
  rows.dropAll(world, organization)
}
