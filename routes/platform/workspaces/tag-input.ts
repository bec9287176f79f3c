import { isObject } from '../../../state/kernel/objects.ts'
import { refuse } from '../../../state/platform/messages.ts'
import type { TagInput } from '../../../state/platform/tags/tags.ts'
import { invalidAttributes, violation } from '../../../state/platform/violations.ts'
import type { TagReference } from '../../../state/platform/workspaces/tags.ts'
import { hyphenatedMembers } from '../json-api/attributes.ts'
import { namesType, relatedItems } from '../json-api/body.ts'

/** Resource type of flat tags. */
export const tagType = 'tags'

/** Resource type of tags with values. */
export const bindingType = 'tag-bindings'

interface Item {
  readonly id: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

/**
 * Returns the items of a list of resources. Throws 422 if an item names a type other than `type`.
 */
function itemsIn(list: readonly unknown[], type: string): Item[] {
  return list.map((item) => {
    const { type: sent, id, attributes } = isObject(item) ? hyphenatedMembers(item) : {}
    if (sent !== undefined && !namesType(sent, type, { fromWire: (_vocabulary, word) => word })) {
      throw refuse('type-wrong', { type })
    }
    return { id, attributes: isObject(attributes) ? hyphenatedMembers(attributes) : {} }
  })
}

/**
 * Parses a list of tags, each of which is given by `id` or by the attribute `name`. Throws 422 for
 * an item of another type, and for a tag with neither an id nor a name.
 */
export function tagReferencesIn(list: readonly unknown[]): TagReference[] {
  return itemsIn(list, tagType).map(({ id, attributes: { name } }) => {
    const given = name ?? id
    if (typeof given !== 'string' || given === '') throw refuse('id-missing')
    return name === undefined || name === null ? { id: given } : { name: given }
  })
}

/**
 * Parses a list of tags with values. Throws 422 for an item of another type, a missing key, or a
 * value that is not a string.
 */
export function bindingsIn(list: readonly unknown[]): TagInput[] {
  return itemsIn(list, bindingType).map(({ attributes: { key, value = '' } }) => {
    if (typeof key !== 'string' || key === '') {
      throw invalidAttributes([violation('key', 'blank')])
    }
    if (value !== null && typeof value !== 'string') {
      throw invalidAttributes([violation('value', 'no-text')])
    }
    return { key, value: value ?? '' }
  })
}

/**
 * Returns the tags in the relationship `tag-bindings` as the member `tags`; an empty object if the
 * relationship was not sent. Throws 422 for invalid tags.
 */
export function relatedBindings(relationships: Readonly<Record<string, unknown>>): {
  readonly tags?: TagInput[]
} {
  const items = relatedItems(relationships, bindingType)
  return items === undefined ? {} : { tags: bindingsIn(items) }
}
