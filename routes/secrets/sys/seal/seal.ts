import { bool, int, list, text } from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../../state/kernel/shape/members.ts'
import { defer } from '../../../../state/kernel/worlds/deferred.ts'
import {
  checkInitSettings,
  checkUninitialized,
  type InitResult,
  initialize,
  isInitialized,
  refuseInit,
  seal,
  sealKind,
} from '../../../../state/secrets/seal/seal.ts'
import {
  resetUnseal,
  sealStatus,
  storedSealType,
  submitUnsealKey,
} from '../../../../state/secrets/seal/unseal.ts'
import { bareOutcome } from '../../envelope/outcome.ts'
import { flag, textField } from '../../fields/field-kinds.ts'
import { message, refuse } from '../../messages.ts'
import { operationsOf, type SecretsOperation } from '../../operation.ts'
import { deliverShares, type PgpKey, readPgpKey, readPgpKeys } from './key-shares.ts'

const initOperation = operationsOf({
  spec: 'behaviour/secrets#seal',
  rootOnly: true,
  unenveloped: true,
  access: 'anyone',
  worksWhileSealed: true,
})

const textList = list(text)

/** Reply to `POST sys/init`. */
interface Initialized {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
  /**
   * The recovery keys, in hex. Present only with a stored-key seal; `keys` and `keys_base64` are
   * then empty.
   */
  readonly recovery_keys?: readonly string[]
  readonly recovery_keys_base64?: readonly string[]
  readonly root_token: string
}

/**
 * Fields about shares. A stored-key seal uses those that begin with `recovery_`; a seal with key
 * shares uses the others.
 */
interface ShareFields {
  readonly secret_shares: number
  readonly secret_threshold: number
  readonly pgp_keys: readonly string[]
  readonly recovery_shares: number
  readonly recovery_threshold: number
  readonly recovery_pgp_keys: readonly string[]
}

const operation = operationsOf({ spec: 'behaviour/secrets#seal' })

const sealStatusSchema = struct({
  type: text,
  initialized: bool,
  sealed: bool,
  t: described(int, 'Number of shares that unseal the server'),
  n: described(int, 'Total number of shares'),
  progress: described(int, 'Number of shares that were provided'),
  nonce: text,
  version: text,
  build_date: text,
  migration: bool,
  cluster_name: optional(text),
  cluster_id: optional(text),
  recovery_seal: bool,
  storage_type: text,
})

/**
 * Operations that initialise the service, unseal it share by share, seal it, and read its state.
 */
export const sealOperations: readonly SecretsOperation[] = [
  initOperation.read('readInitStatus', 'init', {
    summary: 'Read whether the service is initialised.',
    onSecondary: true,
    reply: { 200: struct({ initialized: bool }) },
    run: ({ world }) => bareOutcome({ initialized: isInitialized(world) }),
  }),
  initOperation.write('initialize', 'init', {
    secrets: {
      reply: [
        'keys/**',
        'keys_base64/**',
        'root_token',
        'recovery_keys/**',
        'recovery_keys_base64/**',
      ],
    },
    summary: 'Initialise the service: create the shares of a root key, and a root token.',
    strict: { struct: 'InitRequest', optional: false },
    body: {
      secret_shares: withDefault(described(int, 'Number of key shares'), 0),
      secret_threshold: withDefault(
        described(int, 'Number of key shares that unseal the server'),
        0,
      ),
      pgp_keys: withDefault(
        described(
          list(text),
          'Base64 binary PGP public keys, one for each share, to encrypt the shares',
        ),
        [],
      ),
      root_token_pgp_key: textField('Base64 binary PGP public key to encrypt the root token'),
      recovery_shares: withDefault(
        described(
          int,
          'Number of recovery shares; a stored-key seal has these instead of key shares',
        ),
        0,
      ),
      recovery_threshold: withDefault(
        described(int, 'Number of recovery shares that authorise an operation'),
        0,
      ),
      recovery_pgp_keys: withDefault(
        described(list(text), 'Base64 binary PGP public keys to encrypt the recovery shares'),
        [],
      ),
      stored_shares: withDefault(described(int, 'Ignored'), 0),
    },
    reply: {
      200: struct({
        keys: textList,
        keys_base64: textList,
        recovery_keys: optional(textList),
        recovery_keys_base64: optional(textList),
        root_token: text,
      }),
    },
    run({ world, fields }) {
      const stored = sealKind(world) === 'stored'
      const { pgpKeys, ...settings } = settingsOf(fields, stored)
      checkInitSettings(world, settings)
      if (pgpKeys.length > 0 && pgpKeys.length !== settings.shares) {
        throw refuseInit(world, message('pgp-key-count'))
      }
      const readTokenKey = async () =>
        fields.root_token_pgp_key === '' ? undefined : readPgpKey(fields.root_token_pgp_key)
      return defer(
        () => readPgpKeys(pgpKeys, (reason) => refuseInit(world, reason)),
        (shareKeys) => {
          checkUninitialized(world)
          return defer(readTokenKey, (tokenKey) => {
            // Another request may have initialised the service while the keys were parsed. After
            // this second check, nothing can fail.
            checkUninitialized(world)
            const created = initialize(world, settings)
            return defer(() => deliverInitResult(created, stored, shareKeys, tokenKey), bareOutcome)
          })
        },
      )
    },
  }),
  operation.read('readSealStatus', 'seal-status', {
    summary: 'Read the state of the seal.',
    unenveloped: true,
    access: 'anyone',
    onSecondary: true,
    worksWhileSealed: true,
    reply: { 200: sealStatusSchema },
    run: ({ world }) => bareOutcome(sealStatus(world)),
  }),
  operation.write('unseal', 'unseal', {
    secrets: { body: ['key'] },
    summary: 'Enter one key share, or discard those entered so far.',
    unenveloped: true,
    rootOnly: true,
    access: 'anyone',
    onSecondary: true,
    worksWhileSealed: true,
    strict: {
      struct: 'UnsealRequest',
      optional: false,
      names: { key: 'Key', reset: 'Reset', migrate: 'Migrate' },
    },
    body: {
      key: textField('A key share in hexadecimal or base64'),
      reset: flag('Whether to discard the shares that were provided'),
      migrate: described(bool, 'Ignored, because seals do not migrate in this server'),
    },
    reply: { 200: sealStatusSchema },
    run({ world, fields }) {
      if (fields.reset) {
        resetUnseal(world)
        return bareOutcome(sealStatus(world))
      }
      const refusal = submitUnsealKey(world, fields.key)
      // The request is refused, but the submitted shares must still be removed.
      if (refusal !== undefined) throw refusal.commitWrites()
      return bareOutcome(sealStatus(world))
    },
  }),
  operation.write('seal', 'seal', {
    summary: 'Seal the service.',
    methods: 'checked-first',
    rootOnly: true,
    access: 'sudo',
    apply: ({ world }) => seal(world),
  }),
]

/**
 * Returns the number of shares, the threshold and the PGP keys for the world's kind of seal.
 * Refuses fields that belong to the other kind of seal.
 */
function settingsOf(fields: ShareFields, stored: boolean) {
  const { secret_shares, secret_threshold, pgp_keys } = fields
  const { recovery_shares, recovery_threshold, recovery_pgp_keys } = fields
  const keySettings = { secret_shares, secret_threshold, pgp_keys }
  const recovery = { recovery_shares, recovery_threshold, recovery_pgp_keys }
  const provided = Object.entries(stored ? keySettings : recovery)
    .filter(([, value]) => (typeof value === 'number' ? value !== 0 : value.length > 0))
    .map(([name]) => name)
  if (provided.length > 0) {
    const type = stored ? storedSealType : 'shamir'
    throw refuse('init-settings-foreign', { names: provided.join(','), type })
  }
  return stored
    ? { shares: recovery_shares, threshold: recovery_threshold, pgpKeys: recovery_pgp_keys }
    : { shares: secret_shares, threshold: secret_threshold, pgpKeys: pgp_keys }
}

/**
 * Prepares the reply to an initialization, with the shares and the root token
 * (behaviour/secrets#pgp).
 */
async function deliverInitResult(
  { shares, rootToken }: InitResult,
  stored: boolean,
  shareKeys: readonly PgpKey[],
  tokenKey: PgpKey | undefined,
): Promise<Initialized> {
  const { keys, keys_base64 } = await deliverShares(shares, shareKeys)
  const root_token =
    tokenKey === undefined
      ? rootToken
      : Buffer.from(await tokenKey.encrypt(rootToken)).toString('base64')
  if (!stored) return { keys, keys_base64, root_token }
  return {
    keys: [],
    keys_base64: [],
    recovery_keys: keys,
    recovery_keys_base64: keys_base64,
    root_token,
  }
}
