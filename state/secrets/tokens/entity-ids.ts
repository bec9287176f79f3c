import { createHash } from 'node:crypto'
import type { Mount } from '../mounts/mounts.ts'

/** The id of who has a name at a login method, in the form of a UUID: the same each time. */
export function entityIdOf({ uuid }: Pick<Mount, 'uuid'>, name: string): string {
  const hex = createHash('sha256').update(`${uuid}/${name}`).digest('hex')
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...groups, hex.slice(20, 32)].join('-')
}
