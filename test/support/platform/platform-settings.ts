import { expect } from 'vitest'
import type { Reply } from '../secrets/secrets.ts'
import type { PlatformClient } from './platform.ts'
import { invalid } from './platform-errors.ts'

/**
 * Returns functions that read and change one of the administrative settings below `admin/`, and one
 * that checks a refused change.
 */
export function settingsAt(path: string) {
  const patch = (admin: PlatformClient, attributes: object): Promise<Reply> =>
    admin.patch(`admin/${path}`, { data: { attributes } })
  const read = async (admin: PlatformClient) =>
    (await admin.get(`admin/${path}`)).body.data.attributes
  return {
    patch,
    read,
    /** Checks that a change is refused with these errors, and changes nothing. */
    async refused(
      admin: PlatformClient,
      attributes: object,
      ...errors: readonly (readonly [string, string])[]
    ): Promise<void> {
      const before = await read(admin)
      const reply = await patch(admin, attributes)
      expect([reply.status, reply.body]).toEqual([422, invalid(...errors)])
      expect(await read(admin)).toEqual(before)
    },
  }
}
