import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import type { PlatformContext } from '../operation.ts'

/** Path prefix of the object store. */
export const objectPath = '/v1/object'

/**
 * Returns the absolute address of an object. The address is based on the option `uploadUrl`, or
 * else on the address that the caller used, so that the result works behind mapped ports and world
 * prefixes.
 */
export function objectUrl(
  { world, origin }: Pick<PlatformContext<unknown>, 'world' | 'origin'>,
  id: string,
): string {
  const { uploadUrl } = optionsOf(world)
  return `${uploadUrl === '' ? origin : trimEndOf(uploadUrl, '/')}${objectPath}/${id}`
}
