import { Ids } from '../kernel/ids.ts'
import type { World } from '../kernel/world.ts'

/**
 * The id of the key with which a world signs the identities of its tasks: the keyring's, the published
 * key's and every allocation's (3c-scheduler-more-decisions.md section 8). A UUID that the world's seed
 * gives, so that nothing has to be kept for it and no other id depends on who asked.
 */
export function signingKeyId({ seed }: World): string {
  return new Ids(`${seed}/signing-key`).uuid()
}
