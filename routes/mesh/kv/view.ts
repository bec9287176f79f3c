import type { World } from '../../../state/kernel/worlds/world.ts'
import type { KeyEntry } from '../../../state/mesh/kv/tables.ts'
import { defaultNamespace, namespaceNamed } from '../../../state/mesh/namespaces/namespaces.ts'

/**
 * Renders a key as JSON (behaviour/mesh#kv). The namespace is left out if it is `default`. Without
 * `showsValue`, the value is null.
 */
export function entryJson(world: World, entry: KeyEntry, showsValue = true): string {
  const { namespace } = entry
  const json = world.derived(entry, showsValue ? jsonWithValue : jsonWithoutValue)
  if (namespace === defaultNamespace) return json
  const name = JSON.stringify(namespaceNamed(world, namespace)?.name ?? namespace)
  return `${json.slice(0, -1)},"Namespace":${name}}`
}

function jsonWithValue(entry: KeyEntry): string {
  return formatEntry(entry, entry.value)
}

function jsonWithoutValue(entry: KeyEntry): string {
  return formatEntry(entry, '')
}

function formatEntry(entry: KeyEntry, value: string): string {
  const { key, flags, session, lock_index = 0, create_index, modify_index } = entry
  const members = [
    `"LockIndex":${lock_index}`,
    `"Key":${JSON.stringify(key)}`,
    // Flags that a double cannot represent are stored as digits.
    `"Flags":${flags}`,
    `"Value":${value === '' ? null : JSON.stringify(value)}`,
    ...(session === undefined ? [] : [`"Session":${JSON.stringify(session)}`]),
    `"CreateIndex":${create_index}`,
    `"ModifyIndex":${modify_index}`,
  ]
  return `{${members.join(',')}}`
}

export function valueBytes({ value }: KeyEntry): Buffer {
  return Buffer.from(value, 'base64')
}

/**
 * Returns the names of keys. With a separator, each name ends at the first separator after the
 * prefix, and equal names are listed once, like folders.
 */
export function keyNames(
  entries: readonly KeyEntry[],
  prefix: string,
  separator: string,
): readonly string[] {
  const names = entries.map(({ key }) => {
    const end = separator === '' ? -1 : key.indexOf(separator, prefix.length)
    return end < 0 ? key : key.slice(0, end + separator.length)
  })
  return [...new Set(names)]
}

/**
 * Parses an unsigned number. Returns the digits as text if a double cannot represent the number.
 */
export function exactUint(digits: string): number | string {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : BigInt(digits).toString()
}
