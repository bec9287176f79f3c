import {
  any,
  bool,
  constant,
  int,
  list,
  map,
  nullable,
  type Shape,
  text,
  union,
} from '../../../../state/kernel/shape/kinds.ts'
import {
  described,
  optional,
  struct,
  withDefault,
  withOthers,
} from '../../../../state/kernel/shape/members.ts'
import { defer } from '../../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { optionsOf } from '../../../../state/secrets/options.ts'
import {
  deleteRekeyBackup,
  readRekeyBackup,
  storeRekeyBackup,
} from '../../../../state/secrets/rekey/backup.ts'
import {
  cancelRekey,
  checkRekeyRequest,
  fingerprintsOf,
  type RekeyResult,
  refuseSetting,
  rekeyStatus,
  startRekey,
  submitRekeyShare,
} from '../../../../state/secrets/rekey/rekey.ts'
import {
  restartVerification,
  submitNewShare,
  verificationStatus,
} from '../../../../state/secrets/rekey/verification.ts'
import { bareOutcome, spreadOutcome } from '../../envelope/outcome.ts'
import { dialectBodySchema } from '../../envelope/schemas.ts'
import { flag, requiredField } from '../../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation, type WorldCondition } from '../../operation.ts'
import {
  type DeliveredShares,
  deliverShares,
  readPgpKeys,
  shareFields,
  upperCaseNames,
} from './key-shares.ts'

/**
 * Condition under which rekeying needs no token. In the vendor dialect, it holds by default
 * (behaviour/secrets#unauthenticated).
 */
const unauthenticatedWhen: WorldCondition = {
  text: 'with the option rekeyWithoutToken',
  holds: (world) => optionsOf(world).rekeyWithoutToken,
}

const operation = operationsOf({
  spec: 'behaviour/secrets#api-rekey',
  rootOnly: true,
  unenveloped: true,
  unauthenticatedWhen,
})

const textList = list(text)

const fingerprints = described(
  nullable(list(text)),
  'Fingerprints of the PGP keys, in the order of the keys',
)

const statusSchema = struct({
  nonce: text,
  started: bool,
  t: described(int, 'Threshold of the new shares'),
  n: described(int, 'Number of new shares'),
  progress: described(int, 'Number of shares that were provided'),
  required: described(int, 'Number of shares that are required'),
  pgp_fingerprints: fingerprints,
  backup: described(bool, 'Whether a backup of the encrypted shares is stored'),
  verification_required: bool,
  verification_nonce: optional(described(text, 'Only during verification')),
})

/** Body of the reply that contains the new shares. */
export const completionSchema = struct({
  nonce: text,
  complete: constant(true),
  keys: described(textList, 'The new shares in hexadecimal, or as PGP messages'),
  keys_base64: described(textList, 'The new shares in base64'),
  pgp_fingerprints: fingerprints,
  backup: bool,
  verification_required: bool,
  verification_nonce: optional(described(text, 'Only if the new shares must be verified')),
})

/** Body of a reply with the status of the verification of new shares. */
export const verificationSchema = struct({
  nonce: text,
  started: bool,
  t: described(int, 'Threshold of the new shares'),
  n: described(int, 'Number of new shares'),
  progress: described(int, 'Number of new shares that were provided'),
})

/** Body of the reply to the last share, which completes a verification. */
export const verifiedSchema = struct({ nonce: text, complete: constant(true) })

const backupOperation = operationsOf({ spec: 'behaviour/secrets#api-rekey', rootOnly: true })

/**
 * Operations of rekeying, which replaces the key shares: operations on the attempt, its
 * verification, and the backup of encrypted shares.
 */
export const rekeyOperations: readonly SecretsOperation[] = [
  operation.read('readRekey', 'rekey/init', {
    summary: 'Read the rekey attempt.',
    reply: { 200: statusSchema },
    run: ({ world }) => bareOutcome(rekeyStatus(world)),
  }),
  operation.write('startRekey', 'rekey/init', {
    summary: 'Start to replace the key shares.',
    strict: { struct: 'RekeyRequest', optional: false },
    body: {
      secret_shares: withDefault(requiredField(described(int, 'Number of new shares')), 0),
      secret_threshold: withDefault(
        requiredField(
          described(int, 'Number of new shares that unseal the server, at most secret_shares'),
        ),
        0,
      ),
      stored_shares: described(int, 'Must be 1; only for stored-key seals'),
      pgp_keys: withDefault(
        described(
          list(text),
          'Base64 binary PGP public keys, one for each share, to encrypt the shares',
        ),
        [],
      ),
      backup: flag('Whether sys/rekey/backup keeps the PGP-encrypted shares'),
      require_verification: flag(
        'Whether the new shares take effect only after they were verified',
      ),
    },
    failures: [500],
    reply: { 200: statusSchema },
    run({ world, fields }) {
      const request = {
        shares: fields.secret_shares,
        threshold: fields.secret_threshold,
        storedShares: fields.stored_shares,
        pgpKeys: fields.pgp_keys,
        backup: fields.backup,
        verification: fields.require_verification,
      }
      checkRekeyRequest(world, request)
      const { storedShares: _, ...settings } = request
      return defer(
        () => readPgpKeys(fields.pgp_keys, refuseSetting),
        (keys) => {
          const pgpFingerprints = keys.map(({ fingerprint }) => fingerprint)
          startRekey(world, { ...settings, pgpFingerprints })
          return bareOutcome(rekeyStatus(world))
        },
      )
    },
  }),
  operation.delete('cancelRekey', 'rekey/init', {
    summary: 'Cancel the rekey attempt; the shares stay as they are.',
    apply: ({ world }) => cancelRekey(world),
  }),
  operation.write('updateRekey', 'rekey/update', {
    secrets: { body: ['key'], reply: ['keys/**', 'keys_base64/**'] },
    summary: 'Enter one of the current key shares.',
    methods: 'any',
    strict: { struct: 'RekeyUpdateRequest', optional: false, names: upperCaseNames },
    body: shareFields('A key share', 'attempt'),
    failures: [500],
    reply: { 200: union(statusSchema, completionSchema) },
    run({ world, fields }) {
      const step = submitRekeyShare(world, fields.key, fields.nonce)
      // The request is refused, but the submitted shares must still be removed.
      if (step.state === 'failed') throw step.refusal.commitWrites()
      if (step.state === 'started') return bareOutcome(rekeyStatus(world))
      const { result } = step
      const { shares, settings } = result
      return defer(
        async () => deliverShares(shares, await readPgpKeys(settings.pgpKeys)),
        (deliveredShares) => bareOutcome(completion(world, result, deliveredShares)),
      )
    },
  }),
  operation.read('readRekeyVerification', 'rekey/verify', {
    summary: 'Read the verification of the new key shares.',
    reply: { 200: verificationSchema },
    run: ({ world }) => bareOutcome(verificationStatus(world)),
  }),
  operation.write('updateRekeyVerification', 'rekey/verify', {
    secrets: { body: ['key'] },
    summary: 'Enter one of the new key shares.',
    strict: { struct: 'RekeyVerificationUpdateRequest', optional: false },
    body: shareFields('A new key share', 'verification'),
    reply: { 200: union(verificationSchema, verifiedSchema) },
    run({ world, fields }) {
      const step = submitNewShare(world, fields.key, fields.nonce)
      // The request is refused, but the submitted shares must still be removed.
      if (step.state === 'failed') throw step.refusal.commitWrites()
      if (step.state === 'verification') return bareOutcome(verificationStatus(world))
      return bareOutcome({ nonce: step.nonce, complete: true })
    },
  }),
  operation.delete('restartRekeyVerification', 'rekey/verify', {
    summary: 'Begin the verification anew, with another nonce.',
    reply: { 200: verificationSchema },
    run({ world }) {
      restartVerification(world)
      return bareOutcome(verificationStatus(world))
    },
  }),
  backupOperation.read('readRekeyBackup', 'rekey/backup', {
    summary: 'Read the backup of PGP-encrypted key shares.',
    reply: { 200: dialectBodySchema(backupSchema(text), backupSchema(textList)) },
    run({ world }) {
      const backup = backupData(world)
      const { nonce, keys } = backup
      // If several shares are encrypted for one PGP key, the bare body contains only the last of
      // these messages.
      const lastMessages = mapValues(keys, (messages) => messages.at(-1) ?? '')
      return { ...spreadOutcome({ nonce, keys: lastMessages }, backup), repeatsKeys: true }
    },
  }),
  backupOperation.delete('deleteRekeyBackup', 'rekey/backup', {
    summary: 'Delete the backup of PGP-encrypted key shares.',
    apply: ({ world }) => deleteRekeyBackup(world),
  }),
]

/**
 * Returns the body of the reply with the new shares. If a backup was requested, stores it first
 * (behaviour/secrets#rekey).
 */
export function completion(
  world: World,
  result: RekeyResult,
  deliveredShares: DeliveredShares,
): object {
  const { nonce, settings, verificationNonce } = result
  if (settings.backup) storeRekeyBackup(world, result, deliveredShares.keys)
  return {
    nonce,
    complete: true,
    keys: deliveredShares.keys,
    keys_base64: deliveredShares.keys_base64,
    pgp_fingerprints: fingerprintsOf(settings),
    backup: settings.backup,
    verification_required: settings.verification,
    ...(verificationNonce === undefined ? {} : { verification_nonce: verificationNonce }),
  }
}

/**
 * Returns the backup, which contains every message in hex and in base64. Throws
 * `rekey-backup-absent` if there is no backup.
 */
export function backupData(world: World) {
  const { nonce, keys } = readRekeyBackup(world)
  return { nonce, keys, keys_base64: mapValues(keys, (messages) => messages.map(hexToBase64)) }
}

function backupSchema(keys: Shape) {
  return withOthers(
    struct({
      nonce: described(text, 'Nonce of the attempt that created the shares'),
      keys: described(map(keys), 'Encrypted shares, by PGP fingerprint'),
    }),
    any,
  )
}

function mapValues<A, B>(
  record: Readonly<Record<string, A>>,
  convert: (value: A) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}

function hexToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}
