import { instant, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { platformTable } from '../table.ts'

export const organizationTagAttributes = { name: text, created_at: instant }

const tagShape = struct({
  ...organizationTagAttributes,
  /** Id of the form `tag-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
})

/**
 * A flat tag, which is a tag without a value, that an organization uses (behaviour/platform#tags).
 */
export interface OrganizationTag extends StoredOf<typeof tagShape> {}

/** Flat tags by `<organization>/<name>`; empty in documents of old releases. */
export const organizationTags = platformTable('tags', tagShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

/**
 * Returns the flat tag with the given name, which must be in use. The table does not contain tags
 * from the document of an old release; the id of such a tag is derived from its name.
 */
export function tagNamed(world: World, organization: string, name: string): OrganizationTag {
  const stored = world.table(organizationTags).get(`${organization}/${name}`)
  return stored ?? { id: `tag-${name}`, organization, name, created_at: 0 }
}

export function organizationTagWithId(world: World, id: string): OrganizationTag | undefined {
  return world.table(organizationTags).index('byId').get(id)
}

/** Adds a flat tag unless the organization already has the tag. Must run inside a transaction. */
export function ensureTag(world: World, organization: string, name: string): void {
  const table = world.table(organizationTags)
  const key = `${organization}/${name}`
  if (table.has(key)) return
  table.put(key, { id: newId(world, 'tag'), organization, name, created_at: world.clock.now() })
}

/** Deletes a flat tag that is no longer used. Must run inside a transaction. */
export function dropTag(world: World, organization: string, name: string): void {
  world.table(organizationTags).delete(`${organization}/${name}`)
}

/** Moves the flat tags of a renamed organization. Must run inside a transaction. */
export function moveTags(world: World, before: string, organization: string): void {
  const table = world.table(organizationTags)
  for (const [key, tag] of Array.from(table.entries(`${before}/`))) {
    table.delete(key)
    table.put(`${organization}/${tag.name}`, { ...tag, organization })
  }
}
