import type { World } from '../../kernel/worlds/world.ts'
import { refuse, requireFound } from '../messages.ts'
import { type OrganizationTag, organizationTagWithId, tagNamed } from '../tags/organization-tags.ts'
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
import { putWorkspace, type Workspace, workspacesOf, workspacesTagged } from './workspaces.ts'

/** Flat tag in a request, given by its name or by its id. */
export type TagReference = { readonly name: string } | { readonly id: string }

/** Returns a tag that workspaces of an organization have. Throws 404 for an unknown id. */
function tagWithId(world: World, organization: string, id: string): OrganizationTag {
  const stored = organizationTagWithId(world, id)
  if (stored?.organization === organization) return stored
  return requireFound(tagsOf(world, organization).find((one) => one.id === id))
}

/** Returns the flat tags that workspaces of an organization have, by name. */
export function tagsOf(world: World, organization: string): OrganizationTag[] {
  const names = new Set<string>()
  for (const { tag_names } of workspacesOf(world, organization)) {
    for (const name of tag_names) names.add(name)
  }
  return [...names].sort().map((name) => tagNamed(world, organization, name))
}

/**
 * Returns the tags after flat ones were added. Throws 404 if an id is unknown in the organization,
 * and 422 for a name that no tag can have.
 */
export function withAddedTags(
  world: World,
  organization: string,
  before: readonly TagBinding[],
  added: readonly TagReference[],
): TagBinding[] {
  const names = added.flatMap((tag) =>
    'id' in tag ? [tagWithId(world, organization, tag.id).name] : validTagNames([tag.name]),
  )
  return withFlatTags(world, before, names)
}

/** Adds flat tags to a workspace. Throws as `withAddedTags` does, and 422 if there are none. */
export function addTags(world: World, workspace: Workspace, tags: readonly TagReference[]): void {
  if (tags.length === 0) throw refuse('data-missing')
  const { organization } = workspace
  world.write(() =>
    putTags(world, workspace, withAddedTags(world, organization, bindingsOf(workspace), tags)),
  )
}

/** Removes flat tags from a workspace. Unknown names are ignored, unknown ids are 404. */
export function removeTags(
  world: World,
  workspace: Workspace,
  tags: readonly TagReference[],
): void {
  if (tags.length === 0) throw refuse('data-missing')
  const names = new Set(
    tags.flatMap((tag) =>
      'id' in tag
        ? [tagWithId(world, workspace.organization, tag.id).name]
        : [tag.name, tag.name.toLowerCase()],
    ),
  )
  const left = bindingsOf(workspace).filter(({ key, value }) => value !== '' || !names.has(key))
  world.write(() => putTags(world, workspace, left))
}

/** Deletes tags of an organization by their ids, from all workspaces. Throws 404 for unknown ids. */
export function deleteTags(world: World, organization: string, ids: readonly string[]): void {
  const tags = ids.map((id) => tagWithId(world, organization, id))
  world.write(() => {
    for (const { name } of tags) {
      for (const workspace of workspacesTagged(world, organization, name)) {
        removeTags(world, workspace, [{ name }])
      }
    }
  })
}

/** Adds a tag to workspaces. */
export function tagWorkspaces(
  world: World,
  { id }: OrganizationTag,
  targets: readonly Workspace[],
): void {
  world.write(() => {
    for (const workspace of targets) addTags(world, workspace, [{ id }])
  })
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
