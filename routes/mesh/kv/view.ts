import type { World } from '../../../state/kernel/world.ts'
import type { KeyEntry } from '../../../state/mesh/kv.ts'
import { defaultNamespace, namespaceNamed } from '../../../state/mesh/namespaces/namespaces.ts'

/** A key as it is sent (3a-mesh-decisions.md section 6); its namespace is named outside `default`. */
export function entryView(world: World, entry: KeyEntry): object {
  const { namespace, key, value, flags } = entry
  return {
    LockIndex: 0,
    Key: key,
    Flags: flags,
    Value: value === '' ? null : value,
    CreateIndex: entry.create_index,
    ModifyIndex: entry.modify_index,
    ...(namespace === defaultNamespace
      ? {}
      : { Namespace: namespaceNamed(world, namespace)?.name ?? namespace }),
  }
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
