import { bool, instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { newId } from '../ids.ts'

/** Renders what a project tells of itself, by the attributes' names. */
export const projectAttributes = {
  name: text,
  description: nullable(text),
  created_at: instant,
}

const projectShape = struct({
  ...projectAttributes,
  /** `prj-…` */
  id: text,
  /** The organization's name. */
  organization: text,
  /** The one that an organization begins with, where workspaces go that name none. */
  is_default: bool,
})

/** A project of an organization, in which workspaces are (behaviour/platform#beyond). */
export interface Project extends StoredOf<typeof projectShape> {}

/** By `<organization>/<number>`, the numbers in order of creation. */
export const projects = defineTable({
  service: 'platform',
  name: 'projects',
  shape: projectShape,
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
    usual: ({ organization, is_default }) => (is_default ? organization : undefined),
  },
})

/** The name of the project that an organization begins with. */
const defaultName = 'Default Project'

/** Adds a project under a free name; part of a transaction. */
export function addProject(
  world: World,
  organization: string,
  attributes: Pick<Project, 'name' | 'description'> & { readonly is_default?: boolean },
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

/** Adds the project that an organization begins with; part of a transaction. */
export function addDefaultProject(world: World, organization: string): Project {
  return addProject(world, organization, {
    name: defaultName,
    description: null,
    is_default: true,
  })
}

/** The project that an organization began with; undefined where old documents have none. */
export function defaultProject(world: World, organization: string): Project | undefined {
  return world.table(projects).index('usual').get(organization)
}

/** The projects of an organization, oldest first. */
export function projectsOf(world: World, organization: string): Project[] {
  return Array.from(world.table(projects).rows(`${organization}/`))
}

/** The project of an id, if there is one. */
export function projectWithId(world: World, id: string): Project | undefined {
  return world.table(projects).index('byId').get(id)
}

/** The project of a name in an organization, if there is one. */
export function projectNamed(
  world: World,
  organization: string,
  name: string,
): Project | undefined {
  return world.table(projects).index('byName').get(`${organization}/${name}`)
}

/** Puts another state of a project; part of a transaction. */
export function putProject(world: World, project: Project): Project {
  const table = world.table(projects)
  table.put(table.index('byId').keyOf(project.id) ?? '', project)
  return project
}

/** Takes a project away; part of a transaction. */
export function dropProject(world: World, { id }: Project): void {
  const table = world.table(projects)
  table.delete(table.index('byId').keyOf(id) ?? '')
}

/** Takes the projects of an organization away; part of a transaction. */
export function dropProjects(world: World, organization: string): void {
  world.table(projects).deleteAll(`${organization}/`)
}

/** Keeps the projects of an organization that changes its name; part of a transaction. */
export function moveProjects(world: World, before: string, organization: string): void {
  const table = world.table(projects)
  for (const [key, project] of Array.from(table.entries(`${before}/`))) {
    table.delete(key)
    table.put(organization + key.slice(before.length), { ...project, organization })
  }
}
