import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { allocations } from '../cluster/model/tables.ts'
import { nextIndex } from '../indexes.ts'
import { nanosecondsNow } from '../records/store.ts'
import { signingKeyId } from '../signing-key.ts'
import { variableKey, variables } from '../variables/tables.ts'
import { keyAlgorithm, keyMetadata, rootKeyRows } from './keyring.ts'
import { refuse } from './messages.ts'
import { type RootKey, type RootKeyRow, rootKeys } from './root-keys.ts'

/**
 * Name of the agenda job that activates a root key at its publish time. The job's key in the agenda
 * is the ID of the root key.
 */
const activateJobName = 'scheduler.root-key'

export const rootKeyAgendaJobs: Readonly<Record<string, JobHandler>> = {
  [activateJobName]: (world, { id }) => activateKey(world, id),
}

interface Rotation {
  /** True to encrypt all variables with the new key. Variables then do not need older keys. */
  readonly full: boolean
  /** Activation time in nanoseconds since 1970; 0 for immediate activation. */
  readonly publishTime: number
}

/**
 * Creates a key and activates it now or at its publish time (behaviour/scheduler#operator).
 *
 * @returns the new key. As in the reference, CreateIndex and ModifyIndex are 0
 * @throws Refusal 500 for a full rotation with a publish time
 */
export function rotateKeys(world: World, { full, publishTime }: Rotation): RootKey {
  if (full && publishTime > 0) throw refuse('rotation-full-and-later')
  return world.write(() => {
    const index = nextIndex(world)
    for (const row of rootKeyRows(world)) world.table(rootKeys).put(row.KeyID, row)
    const isPrepublished = publishTime !== 0
    const newKey: RootKeyRow = {
      KeyID: world.ids.uuid(),
      Algorithm: keyAlgorithm,
      CreateTime: nanosecondsNow(world),
      CreateIndex: index,
      ModifyIndex: index,
      State: 'prepublished',
      PublishTime: publishTime,
      since: null,
    }
    world.table(rootKeys).put(newKey.KeyID, newKey)
    const at = Math.max(world.clock.now(), Math.ceil(publishTime / 1_000_000))
    if (isPrepublished) world.agenda.schedule({ at, job: activateJobName, id: newKey.KeyID })
    else activateKey(world, newKey.KeyID)
    if (full) reencryptVariables(world)
    const State = isPrepublished ? 'prepublished' : 'active'
    return { ...keyMetadata(newKey), State, CreateIndex: 0, ModifyIndex: 0 }
  })
}

/** Activates a key, and deactivates the previously active key. Must run inside a transaction. */
function activateKey(world: World, id: string): void {
  const ModifyIndex = nextIndex(world)
  const table = world.table(rootKeys)
  for (const row of Array.from(table.rows())) {
    const { KeyID, State } = row
    if (KeyID === id) table.put(id, { ...row, State: 'active', ModifyIndex, since: ModifyIndex })
    else if (State === 'active') table.put(KeyID, { ...row, State: 'inactive', ModifyIndex })
  }
}

/**
 * Writes all variables again with a new index. A variable counts as encrypted with the key that was
 * active at the variable's ModifyIndex, so all variables then use the active key. Must run inside a
 * transaction.
 */
function reencryptVariables(world: World): void {
  const ModifyIndex = nextIndex(world)
  const ModifyTime = nanosecondsNow(world)
  for (const row of Array.from(world.table(variables).rows())) {
    const reencrypted = { ...row, ModifyIndex, ModifyTime }
    world.table(variables).put(variableKey(row.Namespace, row.Path), reencrypted)
  }
}

/**
 * Deletes a key that is not active, and cancels its scheduled activation.
 *
 * @param force true to delete a key that is in use
 * @throws Refusal 500 without an ID, and for a key that does not exist, is active, or is in use
 *   without `force`
 */
export function deleteKey(world: World, id: string, force: boolean): void {
  if (id === '') throw refuse('root-key-unnamed')
  const row = rootKeyRows(world).find(({ KeyID }) => KeyID === id)
  if (row === undefined) throw refuse('root-key-unknown')
  if (row.State === 'active') throw refuse('root-key-active')
  if (!force && isKeyInUse(world, id)) throw refuse('root-key-needed')
  world.write(() => {
    world.agenda.cancel(activateJobName, id)
    world.table(rootKeys).delete(id)
  })
}

/**
 * Returns true if a key has encrypted a stored variable, or signed the identity of an allocation
 * that should run or has not ended.
 */
function isKeyInUse(world: World, id: string): boolean {
  const writeIndexes = Array.from(world.table(variables).rows(), ({ ModifyIndex }) => ModifyIndex)
  const placementIndexes = Array.from(world.table(allocations).rows())
    // An allocation that was stopped and has ended no longer needs its identity.
    .filter((each) => each.DesiredStatus === 'run' || !hasEnded(each))
    .map(({ CreateIndex }) => CreateIndex)
  return [...writeIndexes, ...placementIndexes].some((index) => signingKeyId(world, index) === id)
}
