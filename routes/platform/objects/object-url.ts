import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import type { PlatformContext } from '../operation.ts'

/** Path below which objects are. */
export const objectPath = '/v1/object'

/**
 * The absolute address of an object (behaviour/platform#configuration-versions): at the option `uploadUrl`,
 * else where this caller came in, so that mapped ports and world prefixes hold.
 */
export function objectUrl(
  { world, origin }: Pick<PlatformContext<unknown>, 'world' | 'origin'>,
  id: string,
): string {
  const { uploadUrl } = optionsOf(world)
  return `${uploadUrl === '' ? origin : trimEndOf(uploadUrl, '/')}${objectPath}/${id}`
}
