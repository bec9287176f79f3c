import { bool, list, map, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { InputOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { mountPath } from '../mounts/changes.ts'
import { mountOf } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { writeAlias } from './alias-changes.ts'
import { findEntityByName } from './entities.ts'
import { writeEntity } from './entity-changes.ts'
import { writeGroupAlias } from './group-aliases.ts'
import { writeGroup } from './group-changes.ts'
import { findGroupByName } from './groups.ts'
import { refuse } from './messages.ts'

const aliases = described(map(text), 'Names at the login methods, by mount path')

/** An entity of a fixtures document, whose member `identity.entities` lists entities by name. */
export const entityFixture = struct({
  policies: optional(list(text)),
  metadata: optional(map(text)),
  disabled: optional(bool),
  aliases: optional(aliases),
})

/** A group of a fixtures document, whose member `identity.groups` lists groups by name. */
export const groupFixture = struct({
  type: optional(word('internal', 'external')),
  policies: optional(list(text)),
  metadata: optional(map(text)),
  entities: optional(described(list(text), 'Names of the member entities')),
  groups: optional(
    described(list(text), 'Names of the member groups, which must come earlier in the file'),
  ),
  aliases: optional(described(map(text), 'Name of an external group at a login method')),
})

/** Creates an entity and its aliases from a fixtures document, with the same checks as the API. */
export function addEntity(
  world: World,
  name: string,
  fixture: InputOf<typeof entityFixture>,
): void {
  const { aliases: names = {}, ...change } = fixture
  const { entity } = writeEntity(world, rootNamespace, { ...change, name })
  for (const [path, alias] of Object.entries(names)) {
    const mount_accessor = accessorAt(world, path)
    writeAlias(world, rootNamespace, { name: alias, mount_accessor, canonical_id: entity.id })
  }
}

/** Creates a group and its aliases from a fixtures document, with the same checks as the API. */
export function addGroup(world: World, name: string, fixture: InputOf<typeof groupFixture>): void {
  const { aliases: names = {}, entities, groups, ...change } = fixture
  const { group } = writeGroup(world, rootNamespace, {
    ...change,
    name,
    member_entity_ids: entities?.map((each) =>
      memberId(findEntityByName(world, rootNamespace, each), each),
    ),
    member_group_ids: groups?.map((each) =>
      memberId(findGroupByName(world, rootNamespace, each), each),
    ),
  })
  for (const [path, alias] of Object.entries(names)) {
    const mount_accessor = accessorAt(world, path)
    const change = { name: alias, mount_accessor, canonical_id: group.id }
    writeGroupAlias(world, rootNamespace, change)
  }
}

/**
 * Returns the id of an entity or group that a fixtures document refers to by name.
 * @throws Refusal if nothing has the name
 */
export function memberId(found: { readonly id: string } | undefined, name: string): string {
  if (found === undefined) throw refuse('fixture-member-unknown', { name })
  return found.id
}

function accessorAt(world: World, text: string): string {
  const path = mountPath(text)
  const mount = mountOf(world, rootNamespace, path)
  if (mount === undefined || mount.path !== path) throw refuse('fixture-method-unknown', { path })
  return mount.accessor
}
