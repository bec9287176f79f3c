import type { World } from '../../kernel/world.ts'
import { neutralAccessor } from '../mounts/types.ts'
import { aliasAt } from './aliases.ts'
import type { Entity } from './entities.ts'
import { groupsNow } from './granted.ts'
import type { IdentityMetadata } from './metadata.ts'

/**
 * What a directive of a templated policy means for an entity (behaviour/secrets#templated-policies):
 * its own marks, those of its alias at a method, those of a group that it belongs to. Undefined for
 * what is not there.
 */
export function identityValue(world: World, entity: Entity, directive: string): string | undefined {
  const [, scope, rest = ''] = /^identity\.(entity|groups)\.(.*)$/s.exec(directive) ?? []
  if (scope === 'entity') return ofEntity(world, entity, rest)
  return scope === 'groups' ? ofGroup(world, entity, rest) : undefined
}

function ofEntity(world: World, entity: Entity, selector: string): string | undefined {
  if (!selector.startsWith('aliases.')) return markOf(entity, selector)
  const [accessor, mark] = halves(selector.slice('aliases.'.length))
  const alias = aliasAt(world, entity, neutralAccessor(accessor))
  if (alias === undefined) return undefined
  const custom = /^custom_metadata\.(.*)$/s.exec(mark)?.[1]
  return custom === undefined ? markOf(alias, mark) : memberOf(alias.custom_metadata, custom)
}

function ofGroup(world: World, entity: Entity, selector: string): string | undefined {
  const [by, rest] = halves(selector)
  const [requested, mark] = halves(rest)
  if (by !== 'ids' && by !== 'names') return undefined
  const group = groupsNow(world, entity).find(
    ({ id, name }) => (by === 'ids' ? id : name) === requested,
  )
  return group && markOf(group, mark)
}

interface Marked {
  readonly id: string
  readonly name: string
  readonly metadata: IdentityMetadata | null
}

function markOf({ id, name, metadata }: Marked, mark: string): string | undefined {
  if (mark === 'id') return id
  if (mark === 'name') return name
  const key = /^metadata\.(.*)$/s.exec(mark)?.[1]
  return key === undefined ? undefined : memberOf(metadata, key)
}

function memberOf(map: IdentityMetadata | null, key: string): string | undefined {
  return map !== null && Object.hasOwn(map, key) ? map[key] : undefined
}

function halves(text: string): readonly [string, string] {
  const period = text.indexOf('.')
  return period < 0 ? [text, ''] : [text.slice(0, period), text.slice(period + 1)]
}
