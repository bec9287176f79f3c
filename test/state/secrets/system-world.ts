import { Refusal } from '../../../state/kernel/refusal.ts'
import { World } from '../../../state/kernel/worlds/world.ts'
import { registerLease } from '../../../state/secrets/leases/leases.ts'
import { type Mount, mountKey, mounts } from '../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { SecretsOptions } from '../../../state/secrets/options.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { findToken } from '../../../state/secrets/tokens/rows.ts'
import { testTime } from '../../support/secrets/secrets.ts'

/** Builds a fresh world with only the secrets service: clock frozen at `testTime`, rows frozen. */
export function secretsWorld(options: Partial<SecretsOptions> = {}, seed = 'test'): World {
  return new World({
    id: 'test',
    services: [secretsService],
    seed,
    clock: { mode: 'frozen', at: testTime },
    options: { secrets: options },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
}

/** Returns kind and message of the refusal of `work`; undefined if it succeeds. */
export function refusalOf(work: () => unknown): { kind: string; message: string } | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return { kind: error.kind, message: error.message }
    throw error
  }
}

/** Returns an `invalid` refusal with a message. */
export const invalid = (message: string) => ({ kind: 'invalid', message })

/** Returns the root namespace's mount at a path; throws if there is none. */
export function mountAt(world: World, path: string): Mount {
  const mount = world.table(mounts).get(mountKey('root', path))
  if (mount === undefined) throw new Error(`nothing is mounted at ${path}`)
  return mount
}

/** Issues a lease of one minute to the root token and returns its id. */
export function leaseAt(world: World, path: string): string {
  const token = findToken(world, 'root')
  if (token === undefined) throw new Error('there is no root token')
  return registerLease(world, { namespace: rootNamespace, path, token, renewable: true, ttl: 60 })
    .id
}
