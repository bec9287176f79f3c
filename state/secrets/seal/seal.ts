import type { MessageParam } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { intOf, list, text, textOf, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { seedMounts } from '../mounts/start-mounts.ts'
import { isDevelopmentServer, optionsOf } from '../options.ts'
import { seedPolicies } from '../policies/policies.ts'
import { secretsTable } from '../table.ts'
import { createNamedRootToken, createRootToken } from '../tokens/tokens.ts'
import { rotateKey } from './keyring.ts'
import { refuse } from './messages.ts'
import { isInitialized, nodeId, nodeState, nodes, transitionNode } from './node-machine.ts'
import { type SplitKey, shareNumberProblem, splitNewKey } from './split-key.ts'

/**
 * Way of unsealing. With `shamir`, callers submit shares of the unseal key. With `stored`, the
 * cluster unseals itself with a key of another service, and recovery shares authorize operations
 * (behaviour/secrets#api-rekey).
 */
type SealKind = 'shamir' | 'stored'

/**
 * Seal of an initialized cluster. Unlike the real products, the mock stores the shares, so that
 * `/_mock/info` can return them (behaviour/program#fresh-world).
 */
const sealShape = struct({
  kind: word('shamir', 'stored'),
  /**
   * Key that the shares combine to, as hex: the unseal key, or the recovery key of a stored-key
   * seal.
   */
  key: textOf({ pattern: '^[0-9a-f]{64}$' }),
  /** Shares as hex. */
  shares: list(text, { minItems: 1, maxItems: 255 }),
  /** Number of shares needed to unseal. */
  threshold: intOf({ minimum: 1, maximum: 255 }),
  cluster_id: text,
  /** The cluster's initial root token. */
  root_token: text,
})

/** The seal, in a single row under `seal`. The row is missing before the initialization. */
export const seals = secretsTable('seal', sealShape, {
  secrets: { members: ['key', 'shares', 'root_token'] },
})

/** Progress of unsealing, while fewer shares than the threshold were submitted. */
const unsealProgressShape = struct({
  nonce: text,
  /** Shares as hex. */
  shares: list(text),
})
interface UnsealProgress extends StoredOf<typeof unsealProgressShape> {}

/**
 * The progress of unsealing, in a single row under `unseal`. The row exists from the first
 * submitted share until the threshold is reached. The row is not replicated, because each node is
 * unsealed separately.
 */
export const unsealProgress = secretsTable('unseal', unsealProgressShape, {
  secrets: { members: ['shares'] },
  local: true,
})

const sealKeyName = 'seal'
const unsealKeyName = 'unseal'

export { isInitialized }

/** Returns whether data are inaccessible because the cluster is sealed or not initialized. */
export function isSealed(world: World): boolean {
  const state = nodeState(world)
  return state === 'sealed' || state === 'uninitialized'
}

/**
 * Calls `wake` after each commit that changes the node and leaves it sealed or not initialized.
 * Returns a function that ends the calls.
 */
export function watchSealing(world: World, wake: () => void): () => void {
  return world.store.watchers.watchKey(nodes.id, nodeId, () => {
    if (isSealed(world)) wake()
  })
}

/**
 * Throws an `unavailable` refusal (503) while sealed. Endpoints that need no token call this
 * function, because the dispatcher checks the seal only for other endpoints.
 */
export function checkUnsealed(world: World): void {
  if (isSealed(world)) throw refuse('sealed')
}

/**
 * Returns the kind of the cluster's seal; before the initialization, the kind that the options
 * configure.
 */
export function sealKind(world: World): SealKind {
  return world.table(seals).get(sealKeyName)?.kind ?? optionsOf(world).seal
}

/**
 * Returns the valid shares as lower-case hex: unseal keys, or the recovery shares of a stored-key
 * seal. Before the initialization, the list is empty and the threshold is 0.
 */
export function unsealKeys(world: World): { readonly keys: string[]; readonly threshold: number } {
  const seal = world.table(seals).get(sealKeyName)
  return { keys: [...(seal?.shares ?? [])], threshold: seal?.threshold ?? 0 }
}

/** Returns the root token of the initialization; undefined before the initialization. */
export function initialRootToken(world: World): string | undefined {
  return world.table(seals).get(sealKeyName)?.root_token
}

/** Returns the id of the cluster; undefined before the initialization. */
export function clusterId(world: World): string | undefined {
  return world.table(seals).get(sealKeyName)?.cluster_id
}

/**
 * Returns the key and the threshold that shares are checked against: for unsealing, rekeying, and
 * generating operation and root tokens. Throws an error if the world is not initialized.
 */
export function sealKey(world: World): Pick<SplitKey, 'key' | 'threshold'> {
  const seal = world.table(seals).get(sealKeyName)
  if (seal === undefined) throw new Error('an uninitialised world has no seal key')
  return seal
}

/**
 * Makes new shares valid and the old shares invalid. Throws an error if the world is not
 * initialized.
 */
export function replaceSealKey(world: World, { key, shares, threshold }: SplitKey): void {
  world.write(() => {
    const seal = world.table(seals).get(sealKeyName)
    if (seal === undefined) throw new Error('an uninitialised world has no seal key')
    world.table(seals).put(sealKeyName, { ...seal, key, shares, threshold })
  })
}

/**
 * Returns the progress of unsealing; an empty nonce and no shares if no unsealing is in progress.
 */
export function currentUnsealProgress(world: World): UnsealProgress {
  return world.table(unsealProgress).get(unsealKeyName) ?? { nonce: '', shares: [] }
}

/** Stores the progress of unsealing; undefined deletes it. */
export function storeUnsealProgress(world: World, progress: UnsealProgress | undefined): void {
  world.write(() => {
    if (progress === undefined) world.table(unsealProgress).delete(unsealKeyName)
    else world.table(unsealProgress).put(unsealKeyName, progress)
  })
}

/**
 * Seals the world, drops shares submitted for unsealing, and cancels a rekey in progress. Throws a
 * `conflict` refusal if the world is already sealed or not initialized. Until the world is
 * unsealed, only system endpoints that need no token respond.
 */
export function seal(world: World): void {
  world.write(() => {
    transitionNode(world, 'seal')
    storeUnsealProgress(world, undefined)
  })
}

/** Unseals the world without checking shares, which callers have checked. */
export function unseal(world: World): void {
  world.write(() => {
    transitionNode(world, 'unseal')
    storeUnsealProgress(world, undefined)
  })
}

interface InitSettings {
  readonly shares: number
  readonly threshold: number
}

/** Secrets that only the reply of the initialization contains. Shares are hex. */
export interface InitResult {
  readonly shares: readonly string[]
  readonly rootToken: string
}

/**
 * Builds the refusal of invalid share settings. With a stored-key seal, the message names recovery
 * shares.
 */
export function refuseInit(world: World, problem: MessageParam): Refusal {
  const isStored = optionsOf(world).seal === 'stored'
  return refuse(isStored ? 'recovery-config-invalid' : 'seal-config-invalid', { problem })
}

/**
 * Throws an `invalid` refusal for numbers of shares that are out of range (behaviour/secrets#seal).
 */
export function checkInitSettings(world: World, { shares, threshold }: InitSettings): void {
  const problem = shareNumberProblem(shares, threshold)
  if (problem !== undefined) throw refuseInit(world, problem)
}

/** Throws an `invalid` refusal if the cluster is already initialized, sealed or not. */
export function checkUninitialized(world: World): void {
  if (isInitialized(world)) throw refuse('already-initialized')
}

/**
 * Initializes a world: creates the root key and its shares, the mounts and policies of the initial
 * state, and a new root token. With a stored-key seal, the shares are recovery shares and the world
 * is unsealed; otherwise the world stays sealed. Throws an `invalid` refusal first for numbers of
 * shares that are out of range, then if the cluster is already initialized.
 */
export function initialize(world: World, settings: InitSettings): InitResult {
  checkInitSettings(world, settings)
  checkUninitialized(world)
  return world.write(() => {
    const { shares } = storeRootKey(world, settings)
    seedPolicies(world)
    const rootToken = createRandomRootToken(world)
    if (sealKind(world) === 'stored') unseal(world)
    return { shares, rootToken }
  })
}

/**
 * Initializes a world for a forced transition. The options set the numbers of shares, and either
 * name the root token or request a random token. The world stays sealed.
 */
export function initializeFromOptions(world: World): void {
  world.write(() => {
    storeRootKey(world, settingsFromOptions(world))
    seedPolicies(world)
    createStartRootToken(world)
  })
}

/** Creates a random root token, stores it in the seal for `/_mock/info`, and returns it. */
function createRandomRootToken(world: World): string {
  const rootToken = createRootToken(world)
  const created = world.table(seals).get(sealKeyName)
  if (created !== undefined)
    world.table(seals).put(sealKeyName, { ...created, root_token: rootToken })
  return rootToken
}

/**
 * Creates a random root token if the option `randomRootToken` is set, otherwise the root token in
 * the option `rootToken`.
 */
function createStartRootToken(world: World): void {
  if (optionsOf(world).randomRootToken) createRandomRootToken(world)
  else createNamedRootToken(world)
}

/** Creates the root token of a fresh world, unless the world starts uninitialized. */
export function seedRootToken(world: World): void {
  if (optionsOf(world).initialized) createStartRootToken(world)
}

/**
 * Creates the seal, the keyring and the mounts of a fresh world according to its options
 * (behaviour/secrets#start-state): unsealed, sealed, or not initialized with `sys/` as the only
 * mount. Policies and the root token are created elsewhere.
 */
export function seedSeal(world: World): void {
  const { initialized, sealed } = optionsOf(world)
  seedMounts(world)
  if (!initialized) return
  world.write(() => {
    storeRootKey(world, settingsFromOptions(world))
    if (!sealed) unseal(world)
  })
}

function settingsFromOptions(world: World): InitSettings {
  if (isDevelopmentServer(world)) return { shares: 1, threshold: 1 }
  const { secretShares: shares, secretThreshold: threshold } = optionsOf(world)
  checkInitSettings(world, { shares, threshold })
  return { shares, threshold }
}

/** Creates the root key and its shares, the keyring and the mounts of a new cluster. */
function storeRootKey(world: World, { shares, threshold }: InitSettings): SplitKey {
  const split = splitNewKey(world, shares, threshold)
  transitionNode(world, 'initialize')
  const { seal: kind, rootToken: root_token } = optionsOf(world)
  const cluster_id = world.ids.uuid()
  world.table(seals).put(sealKeyName, { kind, ...split, cluster_id, root_token })
  rotateKey(world)
  seedMounts(world)
  return split
}
