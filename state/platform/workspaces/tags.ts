import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import {
  bindingsOf,
  flatNames,
  type TagBinding,
  type TagInput,
  validTagNames,
  withBindings,
  withFlatTags,
} from '../tags/tags.ts'
import { projectOf } from './execution.ts'
import { putWorkspace, type Workspace, workspacesOf } from './workspaces.ts'

/** Flat tag in a request, given by name or by id. The id of a flat tag is its name. */
export interface NamedTag {
  readonly name: string
  readonly byId: boolean
}

/** Adds flat tags to a workspace. Throws 404 if an id is unknown in the organization. */
export function addTags(world: World, workspace: Workspace, tags: readonly NamedTag[]): void {
  requireKnown(world, workspace, tags)
  const names = validTagNames(tags.map(({ name }) => name))
  world.write(() => putTags(world, workspace, withFlatTags(world, bindingsOf(workspace), names)))
}

/** Removes flat tags from a workspace. Unknown names are ignored, unknown ids are 404. */
export function removeTags(world: World, workspace: Workspace, tags: readonly NamedTag[]): void {
  requireKnown(world, workspace, tags)
  const names = tags.map(({ name }) => name)
  const left = bindingsOf(workspace).filter(
    ({ key, value }) => value !== '' || !names.some((name) => isSame(name, key)),
  )
  world.write(() => putTags(world, workspace, left))
}

function isSame(name: string, key: string): boolean {
  return name === key || name.toLowerCase() === key
}

function requireKnown(world: World, { organization }: Workspace, tags: readonly NamedTag[]): void {
  if (tags.length === 0) throw refuse('data-missing')
  const known = new Set(
    workspacesOf(world, organization).flatMap((one) => flatNames(bindingsOf(one))),
  )
  if (tags.some(({ name, byId }) => byId && !known.has(name))) throw refuse('not-found')
}

/**
 * Adds or changes tags of a workspace; the other tags stay. Returns the sent tags in the order of
 * the request.
 */
export function bindWorkspaceTags(
  world: World,
  workspace: Workspace,
  sent: readonly TagInput[],
): TagBinding[] {
  return world.write(() => {
    const after = withBindings(world, bindingsOf(workspace), sent)
    putTags(world, workspace, after)
    return sent.flatMap(({ key }) => after.filter((one) => one.key === key))
  })
}

function putTags(world: World, workspace: Workspace, tag_bindings: TagBinding[]): Workspace {
  const tag_names = flatNames(tag_bindings)
  const updated_at = world.clock.now()
  return putWorkspace(world, { ...workspace, tag_bindings, tag_names, updated_at })
}

/** A tag that a workspace has, with the project that it was inherited from. */
interface EffectiveTag extends TagInput {
  readonly project?: string
}

/**
 * Returns the tags of a workspace and those of its project. A tag of the workspace replaces the
 * project's tag with the same key.
 */
export function effectiveTags(world: World, workspace: Workspace): EffectiveTag[] {
  const bindings = bindingsOf(workspace)
  const project = projectOf(world, workspace)
  if (project === undefined) return [...bindings]
  const inherited = bindingsOf(project)
    .filter(({ key }) => !bindings.some((one) => one.key === key))
    .map(({ key, value }) => ({ key, value, project: project.id }))
  return [...bindings, ...inherited]
}
