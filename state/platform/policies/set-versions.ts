import { constant, instant, text, translatedText, word } from '../../kernel/shape/kinds.ts'
import { partial, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { createUploadAddress, dropFile, storeFile } from '../files.ts'
import { newId } from '../ids.ts'
import type { StoredObject } from '../objects.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

export const policySetVersionAttributes = {
  status: word('pending', 'ready'),
  source: translatedText({ 'ent-api': 'tfe-api' }),
  error: constant(null),
  created_at: instant,
  updated_at: instant,
}

/** Times at which a version reached its statuses. Statuses that were not reached are missing. */
export const policySetVersionTimes = partial(struct({ pending_at: instant, ready_at: instant }))

const versionShape = struct({
  ...policySetVersionAttributes,
  /** Id of the form `polsetver-…`. */
  id: text,
  /** Policy set id. */
  set: text,
  reached: policySetVersionTimes,
})

/**
 * A version of a policy set: a set of files that a client uploads (behaviour/platform#policy-sets).
 */
export interface PolicySetVersion extends StoredOf<typeof versionShape> {}

/** Versions by `<policy set id>/<number>`, in creation order. */
export const policySetVersions = platformTable('policy-set-versions', versionShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(policySetVersions, 'set')

/** Functions of `ownedRows` for the versions of a policy set. Lists are in creation order. */
export const { of: policySetVersionsOf, withId: policySetVersionWithId } = rows

/** Adds a version with the status `pending` and an upload address. */
export function createPolicySetVersion(world: World, set: string): PolicySetVersion {
  const now = world.clock.now()
  return world.write(() => {
    const id = newId(world, 'polsetver')
    createUploadAddress(world, id)
    return rows.put(world, {
      id,
      set,
      status: 'pending',
      source: 'ent-api',
      error: null,
      reached: { pending_at: now },
      created_at: now,
      updated_at: now,
    })
  })
}

/** Stores the uploaded files of a version and sets its status to `ready`. */
export function receivePolicySetFiles(
  world: World,
  object: StoredObject,
  pieces: readonly string[],
): void {
  const now = world.clock.now()
  world.write(() => {
    storeFile(world, object, pieces)
    const version = rows.withId(world, object.subject)
    if (version === undefined) return
    const reached = { ...version.reached, ready_at: now }
    rows.put(world, { ...version, status: 'ready', reached, updated_at: now })
  })
}

/** Deletes the versions of a policy set with their files. Must run inside a transaction. */
export function dropPolicySetVersions(world: World, set: string): void {
  for (const { id } of rows.of(world, set)) dropFile(world, id)
  rows.dropAll(world, set)
}
