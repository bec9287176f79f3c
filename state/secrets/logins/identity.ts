import type { World } from '../../kernel/worlds/world.ts'
import { type Alias, aliasNamed, newAlias, putAlias } from '../identity/aliases.ts'
import { type Entity, findEntity, newEntity, putEntity } from '../identity/entities.ts'
import { joinExternalGroups } from '../identity/group-aliases.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { refuse } from './messages.ts'

/** The user of a login, as the method knows it. */
export interface AliasAtLogin {
  readonly namespace: Namespace
  /** The method's mount: its accessor and the name identify the alias. */
  readonly mount: Mount
  readonly name: string
  /** Metadata from the method; null for none. */
  readonly metadata: Readonly<Record<string, string>> | null
  /** Group names from the method; the entity joins the groups that have these as aliases. */
  readonly groups?: readonly string[] | undefined
}

/**
 * Returns the entity of a login's alias, creating both if necessary (behaviour/secrets#identity).
 * The method's metadata replace those of the last login.
 *
 * @throws denied if the entity is disabled.
 */
export function aliasAtLogin(world: World, login: AliasAtLogin): Entity {
  const entity = entityAtLogin(world, login)
  if (login.groups !== undefined) joinExternalGroups(world, entity, login.mount, login.groups)
  return entity
}

function entityAtLogin(world: World, login: AliasAtLogin): Entity {
  const { namespace, mount, name, metadata } = login
  const known = aliasNamed(world, mount.accessor, name)
  const entity = known && findEntity(world, { id: known.namespace }, known.canonical_id)
  if (known === undefined || entity === undefined) {
    const created = putEntity(world, newEntity(world, namespace))
    putAlias(world, { ...newAlias(world, created, mount, name), metadata })
    return created
  }
  if (entity.disabled) throw refuse('token-refused')
  if (!hasSameMetadata(known, metadata)) {
    putAlias(world, { ...known, metadata, last_update_time: world.clock.now() })
  }
  return entity
}

function hasSameMetadata({ metadata: before }: Alias, metadata: AliasAtLogin['metadata']): boolean {
  const entries = Object.entries(before ?? {})
  const now = Object.entries(metadata ?? {})
  return entries.length === now.length && now.every(([key, value]) => before?.[key] === value)
}
