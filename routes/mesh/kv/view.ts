import type { World } from '../../../state/kernel/world.ts'
import type { KeyEntry } from '../../../state/mesh/kv/keys.ts'
import { defaultNamespace, namespaceNamed } from '../../../state/mesh/namespaces/namespaces.ts'

/** A key as JSON (3a-mesh-decisions.md section 6); its namespace is named outside `default`. */
export function entryJson(world: World, entry: KeyEntry): string {
  const { namespace } = entry
  const json = world.derived(entry, jsonOf)
  if (namespace === defaultNamespace) return json
  const name = JSON.stringify(namespaceNamed(world, namespace)?.name ?? namespace)
  return `${json.slice(0, -1)},"Namespace":${name}}`
}

function jsonOf({ key, value, flags, create_index, modify_index }: KeyEntry): string {
  return JSON.stringify({
    LockIndex: 0,
    Key: key,
    Flags: flags,
    Value: value === '' ? null : value,
    CreateIndex: create_index,
    ModifyIndex: modify_index,
  })
}

/** The bytes of a value. */
export function bytesOf({ value }: KeyEntry): Buffer {
  return Buffer.from(value, 'base64')
}

/**
 * The names of keys; with a separator each only once up to its next one after the prefix, as folders
 * are listed.
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
