import { instant, list, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { invalidAttributes, violation } from '../violations.ts'

export const bindingAttributes = { key: text, value: text, created_at: instant }

const bindingShape = struct({
  /** Id of the form `tb-…`. */
  id: text,
  ...bindingAttributes,
})

/**
 * A tag of a workspace, project, module or provider. A flat tag has an empty value
 * (behaviour/platform#tags).
 */
export interface TagBinding extends StoredOf<typeof bindingShape> {}

/** Shape of the row member that stores the tags of an object. */
export const tagBindingsShape = list(bindingShape)

/** A tag in a request. Flat tags have an empty value. */
export interface TagInput {
  readonly key: string
  readonly value: string
}

interface TaggedRow {
  readonly tag_bindings?: readonly TagBinding[] | undefined
  /** Flat tags in a document of an old release, which has no `tag_bindings`. */
  readonly tag_names?: readonly string[]
  readonly created_at: number
}

/** Returns all tags of an object, including flat tags, in creation order. */
export function bindingsOf({ tag_bindings, tag_names = [], created_at }: TaggedRow) {
  return tag_bindings ?? tag_names.map((key) => ({ id: `tb-${key}`, key, value: '', created_at }))
}

export function flatTagNames(bindings: readonly TagBinding[]): string[] {
  return bindings.filter(({ value }) => value === '').map(({ key }) => key)
}

const maxBindings = 10
const maxValueLength = 256

/**
 * Returns `before` with the tags of the request added or changed. Throws 422 for an invalid key or
 * value, for more than ten tags in the request, and for a result with more than ten tags that have
 * a value.
 */
export function withBindings(
  world: World,
  before: readonly TagBinding[],
  sent: readonly TagInput[],
): TagBinding[] {
  for (const { key, value } of sent) {
    if (!/^[A-Za-z0-9_.=+@:-]{1,128}$/.test(key) || /^hcp?:/.test(key)) {
      throw invalidAttributes([violation('key', 'invalid')])
    }
    if (!/^[A-Za-z0-9_.=+@:-]*$/.test(value) || value.length > maxValueLength) {
      throw invalidAttributes([violation('value', 'invalid')])
    }
  }
  const bindings = new Map(before.map((one) => [one.key, one]))
  for (const { key, value } of sent) {
    const existing = bindings.get(key)
    bindings.set(
      key,
      existing === undefined
        ? { id: newId(world, 'tb'), key, value, created_at: world.clock.now() }
        : { ...existing, value },
    )
  }
  const after = [...bindings.values()]
  const countedTags = Math.max(sent.length, after.filter(({ value }) => value !== '').length)
  if (countedTags > maxBindings) {
    throw invalidAttributes([
      violation('tag-bindings', 'too-many-bindings', { limit: maxBindings }),
    ])
  }
  return after
}

/**
 * Returns the tags of the request. Tags whose key is in `before` keep their id. Throws like
 * `withBindings`.
 */
export function replacedBindings(
  world: World,
  before: readonly TagBinding[],
  sent: readonly TagInput[],
): TagBinding[] {
  const kept = before.filter(({ key }) => sent.some((one) => one.key === key))
  return withBindings(world, kept, sent)
}

/** Converts names of flat tags to lower case. Throws 422 for an invalid name. */
export function validTagNames(names: readonly string[]): string[] {
  return names.map((name) => {
    const lower = name.toLowerCase()
    if (!/^[a-z0-9:_-]{1,255}$/.test(lower)) throw invalidAttributes([violation('name', 'invalid')])
    return lower
  })
}

/**
 * Returns `before` with the named flat tags added. Existing tags with such a key stay unchanged.
 */
export function withFlatTags(
  world: World,
  before: readonly TagBinding[],
  names: readonly string[],
): TagBinding[] {
  const keys = new Set(before.map(({ key }) => key))
  const added = [...new Set(names)].filter((name) => !keys.has(name))
  const created_at = world.clock.now()
  return [
    ...before,
    ...added.map((key) => ({ id: newId(world, 'tb'), key, value: '', created_at })),
  ]
}

/** Returns `before` with its flat tags replaced by the named flat tags. Tags with a value stay. */
export function replacedFlatTags(
  world: World,
  before: readonly TagBinding[],
  names: readonly string[],
): TagBinding[] {
  const kept = before.filter(({ key, value }) => value !== '' || names.includes(key))
  return withFlatTags(world, kept, names)
}
