import { createHash } from 'node:crypto'
import type { Mount } from '../mounts/mounts.ts'

/**
 * The id of the entity with an alias at a login method, in the form of a UUID: the same each time
 * (behaviour/secrets#identity: the mount's accessor and a name make an alias).
 */
export function entityIdOf({ accessor }: Pick<Mount, 'accessor'>, name: string): string {
  const hex = createHash('sha256').update(`${accessor}/${name}`).digest('hex')
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...groups, hex.slice(20, 32)].join('-')
}
