import type { MessageParam } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { intOf, list, text, textOf, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { seedMounts } from '../mounts/start-mounts.ts'
import { optionsOf } from '../options.ts'
import { seedPolicies } from '../policies/policies.ts'
import { createNamedRootToken, createRootToken } from '../tokens/tokens.ts'
import { rotateKey } from './keyring.ts'
import { refuse } from './messages.ts'
import { isInitialized, nodeState, transitionNode } from './node-machine.ts'
import { type SplitKey, shareNumberFault, splitNewKey } from './split-key.ts'

/**
 * Describes how a cluster is unsealed: by shares of a key or, where something else stores the key,
 * by itself. The shares that such a seal has are recovery shares, which authorise operations
 * (behaviour/secrets#api-rekey).
 */
type SealKind = 'shamir' | 'stored'

/**
 * The seal of an initialised cluster's data. Real services forget the shares; a test double keeps
 * them, so that `/_mock/info` can tell them (behaviour/program#fresh-world).
 */
const sealShape = struct({
  kind: word('shamir', 'stored'),
  /** The key that the shares give, as hex: what unseals, or the recovery key. */
  key: textOf({ pattern: '^[0-9a-f]{64}$' }),
  /** The valid shares, as hex. */
  shares: list(text, { minItems: 1, maxItems: 255 }),
  /** The number of them that unseal. */
  threshold: intOf({ minimum: 1, maximum: 255 }),
  cluster_id: text,
  /** The root token that the cluster began with. */
  root_token: text,
})

/** The cluster's one seal, under `seal`. There is none before it is initialised. */
export const seals = defineTable({
  service: 'secrets',
  name: 'seal',
  shape: sealShape,
})

/** Shares handed in for an unseal that has not come to its threshold. */
const unsealProgressShape = struct({
  nonce: text,
  /** As hex. */
  shares: list(text),
})
interface UnsealProgress extends StoredOf<typeof unsealProgressShape> {}

/** The one unseal under way, under `unseal`. */
export const unsealProgress = defineTable({
  service: 'secrets',
  name: 'unseal',
  local: true,
  shape: unsealProgressShape,
})

const sealKeyName = 'seal'
const unsealKeyName = 'unseal'

export { isInitialized }

/** True when nothing can be read: sealed, or not initialised at all. */
export function isSealed(world: World): boolean {
  const state = nodeState(world)
  return state === 'sealed' || state === 'uninitialized'
}

/** 503: the service is sealed. For endpoints that are open, which the dispatcher lets through. */
export function checkUnsealed(world: World): void {
  if (isSealed(world)) throw refuse('sealed')
}

/** Returns how the cluster is unsealed; before it is initialised, how it will be. */
export function sealKind(world: World): SealKind {
  return world.table(seals).get(sealKeyName)?.kind ?? optionsOf(world).seal
}

/**
 * The shares that are valid now, as lower-case hex: they unseal this world or, with a stored-key
 * seal, are its recovery shares. None before it is initialised.
 */
export function unsealKeys(world: World): { readonly keys: string[]; readonly threshold: number } {
  const seal = world.table(seals).get(sealKeyName)
  return { keys: [...(seal?.shares ?? [])], threshold: seal?.threshold ?? 0 }
}

/** The root token this world began with; undefined before it is initialised. */
export function initialRootToken(world: World): string | undefined {
  return world.table(seals).get(sealKeyName)?.root_token
}

/** The cluster's id; undefined before it is initialised. */
export function clusterId(world: World): string | undefined {
  return world.table(seals).get(sealKeyName)?.cluster_id
}

/** The seal's key and threshold, against which rekey and operation tokens check shares too. */
export function sealKey(world: World): Pick<SplitKey, 'key' | 'threshold'> {
  const seal = world.table(seals).get(sealKeyName)
  if (seal === undefined) throw new Error('an uninitialised world has no seal key')
  return seal
}

/** Makes other shares of another key the valid ones; the old are worth nothing from now on. */
export function replaceSealKey(world: World, { key, shares, threshold }: SplitKey): void {
  world.write(() => {
    const seal = world.table(seals).get(sealKeyName)
    if (seal === undefined) throw new Error('an uninitialised world has no seal key')
    world.table(seals).put(sealKeyName, { ...seal, key, shares, threshold })
  })
}

/** The unseal under way: its nonce and the shares so far. */
export function unsealUnderWay(world: World): UnsealProgress {
  return world.table(unsealProgress).get(unsealKeyName) ?? { nonce: '', shares: [] }
}

/** Keeps the shares of an unseal under way; none ends it. */
export function storeUnsealProgress(world: World, progress: UnsealProgress | undefined): void {
  world.write(() => {
    if (progress === undefined) world.table(unsealProgress).delete(unsealKeyName)
    else world.table(unsealProgress).put(unsealKeyName, progress)
  })
}

/** Seals the world: nothing but the open system endpoints answers until it is unsealed. */
export function seal(world: World): void {
  world.write(() => {
    transitionNode(world, 'seal')
    storeUnsealProgress(world, undefined)
  })
}

/** Opens a sealed world, however the right to do so was proved. */
export function open(world: World): void {
  world.write(() => {
    transitionNode(world, 'unseal')
    storeUnsealProgress(world, undefined)
  })
}

/** The shares that an initialisation wants. */
interface InitSettings {
  readonly shares: number
  readonly threshold: number
}

/** The keys that initialising gives out, once and never again. Shares in hex. */
export interface InitResult {
  readonly shares: readonly string[]
  readonly rootToken: string
}

/** A wrong setting of an initialisation: of recovery shares, where the seal stores its key. */
export function refuseInit(world: World, fault: MessageParam): Refusal {
  const stored = optionsOf(world).seal === 'stored'
  return refuse(stored ? 'recovery-config-invalid' : 'seal-config-invalid', { fault })
}

/** 400: wrong numbers of shares (behaviour/secrets#seal). */
export function checkInitSettings(world: World, { shares, threshold }: InitSettings): void {
  const fault = shareNumberFault(shares, threshold)
  if (fault !== undefined) throw refuseInit(world, fault)
}

/** 400: there is a root key already. */
export function checkUninitialized(world: World): void {
  if (isInitialized(world)) throw refuse('already-initialized')
}

/**
 * Initialises a world that is not: a root key in shares, the mounts and policies of the start state
 * and a new root token. The world stays sealed, unless its seal is a stored-key one: then the shares
 * are recovery shares, and it is open. Refuses with `invalid`, numbers first, as the reference does.
 */
export function initialize(world: World, settings: InitSettings): InitResult {
  checkInitSettings(world, settings)
  checkUninitialized(world)
  return world.write(() => {
    const { shares } = storeRootKey(world, settings)
    seedPolicies(world)
    const rootToken = createRootToken(world)
    const created = world.table(seals).get(sealKeyName)
    if (created !== undefined)
      world.table(seals).put(sealKeyName, { ...created, root_token: rootToken })
    if (sealKind(world) === 'stored') open(world)
    return { shares, rootToken }
  })
}

/**
 * Initialises as a fresh world is: with the options' number of shares and their root token. For
 * pushes by hand. The world stays sealed.
 */
export function initializeFromOptions(world: World): void {
  world.write(() => {
    storeRootKey(world, settingsFromOptions(world))
    seedPolicies(world)
    createNamedRootToken(world)
  })
}

/**
 * Seal, keyring and mounts of a fresh world by its options (behaviour/secrets#start-state
 * state): open, sealed, or not initialised and without any mount but `sys/`. Policies and the root
 * token of an initialised one are seeds of their own.
 */
export function seedSeal(world: World): void {
  const { initialized, sealed } = optionsOf(world)
  seedMounts(world)
  if (!initialized) return
  world.write(() => {
    storeRootKey(world, settingsFromOptions(world))
    if (!sealed) open(world)
  })
}

function settingsFromOptions(world: World): InitSettings {
  const { secretShares: shares, secretThreshold: threshold } = optionsOf(world)
  checkInitSettings(world, { shares, threshold })
  return { shares, threshold }
}

/** Makes what a cluster has from its first moment: a key in shares, a keyring, its mounts. */
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
