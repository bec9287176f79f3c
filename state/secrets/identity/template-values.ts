import { parseDuration } from '../../go/duration.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { neutralAccessor } from '../mounts/types.ts'
import { aliasAt } from './aliases.ts'
import type { Entity } from './entities.ts'
import { allGroups } from './entity-policies.ts'
import type { IdentityMetadata } from './metadata.ts'

/**
 * Returns the value of a templated policy's directive (behaviour/secrets#templated-policies): the
 * time, or a property of the caller's entity, of the entity's alias at a login method, or of one of
 * the entity's groups. Returns undefined if there is no such value.
 */
export function templateValue(
  world: World,
  entity: Entity | undefined,
  directive: string,
): string | undefined {
  if (directive.startsWith('time.')) return timeValue(world, directive.slice('time.'.length))
  const [, scope, selector = ''] = /^identity\.(entity|groups)\.(.*)$/s.exec(directive) ?? []
  if (scope === undefined || entity === undefined) return undefined
  return scope === 'entity'
    ? entityValue(world, entity, selector)
    : groupValue(world, entity, selector)
}

/**
 * Evaluates a time selector, such as `now.plus.1h`. Returns whole seconds since 1970; undefined for
 * other selectors.
 */
export function timeValue(world: World, selector: string): string | undefined {
  const [, operator, text] = /^now(?:\.(plus|minus)\.(.*))?$/s.exec(selector) ?? []
  if (operator === undefined) return selector === 'now' ? secondsAt(world, 0) : undefined
  const duration = durationOf(text ?? '')
  if (duration === undefined) return undefined
  return secondsAt(world, operator === 'plus' ? duration : -duration)
}

/**
 * Returns the time after a duration from now, in whole seconds since 1970.
 *
 * @param duration in nanoseconds; may be negative
 */
function secondsAt(world: World, duration: number): string {
  return String(Math.floor((world.clock.now() + duration / nanosecondsPerMillisecond) / 1000))
}

const nanosecondsPerMillisecond = 1_000_000

function durationOf(text: string): number | undefined {
  try {
    return parseDuration(text)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function entityValue(world: World, entity: Entity, selector: string): string | undefined {
  if (!selector.startsWith('aliases.')) return propertyOf(entity, selector)
  const [accessor, property] = splitAtPeriod(selector.slice('aliases.'.length))
  const alias = aliasAt(world, entity, neutralAccessor(accessor))
  if (alias === undefined) return undefined
  const customKey = /^custom_metadata\.(.*)$/s.exec(property)?.[1]
  return customKey === undefined
    ? propertyOf(alias, property)
    : valueAt(alias.custom_metadata, customKey)
}

function groupValue(world: World, entity: Entity, selector: string): string | undefined {
  const [selectorKind, groupSelector] = splitAtPeriod(selector)
  const [requested, property] = splitAtPeriod(groupSelector)
  if (selectorKind !== 'ids' && selectorKind !== 'names') return undefined
  const group = allGroups(world, entity).find(
    ({ id, name }) => (selectorKind === 'ids' ? id : name) === requested,
  )
  return group && propertyOf(group, property)
}

interface NamedRow {
  readonly id: string
  readonly name: string
  readonly metadata: IdentityMetadata | null
}

function propertyOf({ id, name, metadata }: NamedRow, property: string): string | undefined {
  if (property === 'id') return id
  if (property === 'name') return name
  const key = /^metadata\.(.*)$/s.exec(property)?.[1]
  return key === undefined ? undefined : valueAt(metadata, key)
}

function valueAt(map: IdentityMetadata | null, key: string): string | undefined {
  return map !== null && Object.hasOwn(map, key) ? map[key] : undefined
}

function splitAtPeriod(text: string): readonly [string, string] {
  const period = text.indexOf('.')
  return period < 0 ? [text, ''] : [text.slice(0, period), text.slice(period + 1)]
}
