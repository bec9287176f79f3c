import type { World } from '../../kernel/worlds/world.ts'
import { refuse, requireFound } from '../messages.ts'
import { type OrganizationTag, organizationTagWithId, tagNamed } from '../tags/organization-tags.ts'
import {
  bindingsOf,
  flatTagNames,
  type TagBinding,
  type TagInput,
  validTagNames,
  withBindings,
  withFlatTags,
} from '../tags/tags.ts'
import { projectOf } from './execution.ts'
import { putWorkspace, type Workspace, workspacesOf, workspacesTagged } from './workspaces.ts'

/** Reference in a request to a flat tag, by name or by id. A flat tag has no value. */
export type TagReference = { readonly name: string } | { readonly id: string }

/** Returns the flat tag with an id. Throws 404 unless the organization uses a tag with this id. */
function tagWithId(world: World, organization: string, id: string): OrganizationTag {
  const stored = organizationTagWithId(world, id)
  if (stored?.organization === organization) return stored
  return requireFound(tagsOf(world, organization).find((one) => one.id === id))
}

/** Returns the flat tags in use in an organization, sorted by name. */
export function tagsOf(world: World, organization: string): OrganizationTag[] {
  const names = new Set<string>()
  for (const { tag_names } of workspacesOf(world, organization)) {
    for (const name of tag_names) names.add(name)
  }
  return [...names].sort().map((name) => tagNamed(world, organization, name))
}

/**
 * Returns the tags in `before` and the flat tags in `added`. Throws 404 for an unknown id, and 422
 * for an invalid name.
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

/** Adds flat tags to a workspace. Throws like `withAddedTags`, and refuses an empty list. */
export function addTags(world: World, workspace: Workspace, tags: readonly TagReference[]): void {
  if (tags.length === 0) throw refuse('data-missing')
  const { organization } = workspace
  world.write(() =>
    putTags(world, workspace, withAddedTags(world, organization, bindingsOf(workspace), tags)),
  )
}

/**
 * Removes flat tags from a workspace. Ignores unknown names, throws 404 for unknown ids, and
 * refuses an empty list.
 */
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
  const remaining = bindingsOf(workspace).filter(
    ({ key, value }) => value !== '' || !names.has(key),
  )
  world.write(() => putTags(world, workspace, remaining))
}

/** Removes flat tags from all workspaces of an organization. Throws 404 for an unknown id. */
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

/** Adds a flat tag to each workspace in `targets`. */
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
 * Adds tags to a workspace or changes their values. Returns the stored tags that the request
 * contains, in the order of the request. Throws like `withBindings`.
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
  const tag_names = flatTagNames(tag_bindings)
  const updated_at = world.clock.now()
  return putWorkspace(world, { ...workspace, tag_bindings, tag_names, updated_at })
}

/**
 * A tag that applies to a workspace. `project` is the id of the project from which the tag is
 * inherited. A tag of the workspace itself has no `project`.
 */
interface EffectiveTag extends TagInput {
  readonly project?: string
}

/**
 * Returns the tags of a workspace and those inherited from its project. A tag of the workspace
 * replaces an inherited tag with an equal key.
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
