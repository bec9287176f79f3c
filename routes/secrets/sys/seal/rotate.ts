import { any, bool, int, list, map, text, union } from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withDefault } from '../../../../state/kernel/shape/members.ts'
import { defer } from '../../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { deleteRekeyBackup } from '../../../../state/secrets/rekey/backup.ts'
import {
  cancelRekey,
  refuseSetting,
  startRekey,
  submitRekeyShare,
} from '../../../../state/secrets/rekey/rekey.ts'
import {
  checkRotationRequest,
  checkRotationShare,
  isRotating,
  type RotatedKey,
  requireRotation,
  rotationRefusal,
  rotationStatus,
  withRotationWording,
} from '../../../../state/secrets/rekey/rotation.ts'
import {
  restartVerification,
  submitNewShare,
  verificationStatus,
} from '../../../../state/secrets/rekey/verification.ts'
import { sealKind } from '../../../../state/secrets/seal/seal.ts'
import { dataOutcome, type SecretsOutcome } from '../../envelope/outcome.ts'
import { enveloped, envelopeOf } from '../../envelope/schemas.ts'
import { flag, requiredField } from '../../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../../operation.ts'
import { deliverShares, readPgpKeys, shareFields } from './key-shares.ts'
import {
  backupData,
  completion,
  completionSchema,
  verificationSchema,
  verifiedSchema,
} from './rekey.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#rotation', rootOnly: true })

const textList = list(text)

const statusShape = struct({
  started: bool,
  t: described(int, 'Threshold of the new shares'),
  n: described(int, 'Number of new shares'),
  required: described(int, 'Number of shares that are required'),
  nonce: optional(text),
  progress: optional(described(int, 'Number of shares that were provided')),
  verification_required: optional(bool),
  verification_nonce: optional(text),
  pgp_fingerprints: optional(textList),
  backup: optional(bool),
})
const statusReply = { 200: envelopeOf(statusShape) }
const verificationReply = { 200: envelopeOf(verificationSchema) }

/**
 * Returns the reply with the status of a rotation. If there is no rotation, the reply has only the
 * members `started`, `t`, `n` and `required`. Throws a refusal if `key` is `recovery` and the seal
 * has no recovery keys.
 */
function statusOutcome(world: World, key: RotatedKey): SecretsOutcome {
  const status = rotationStatus(world, key)
  const { required } = status
  if (!('started' in status) || !status.started) {
    return dataOutcome({ started: false, t: 0, n: 0, required })
  }
  const { nonce, t, n, progress, pgp_fingerprints, backup } = status
  const { verification_required, verification_nonce = '' } = status
  return dataOutcome({
    started: true,
    t,
    n,
    required,
    nonce,
    progress,
    verification_required,
    verification_nonce,
    ...(pgp_fingerprints === null ? {} : { pgp_fingerprints, backup }),
  })
}

/**
 * Declares the operations that replace one kind of key shares. The operations require a token, and
 * their replies have envelopes. Current clients use these paths.
 */
function rotationOperations(key: RotatedKey): readonly SecretsOperation[] {
  const name = key === 'root' ? 'RootRotation' : 'RecoveryRotation'
  const path = `rotate/${key}` as const
  const shares = key === 'root' ? 'key shares' : 'recovery shares'
  return [
    operation.read(`read${name}`, `${path}/init`, {
      summary: `Read the rotation of the ${shares}.`,
      failures: [500],
      reply: statusReply,
      run: ({ world }) => statusOutcome(world, key),
    }),
    operation.write(`start${name}`, `${path}/init`, {
      summary: `Start to replace the ${shares}.`,
      body: {
        secret_shares: withDefault(requiredField(described(int, 'Number of new shares')), 0),
        secret_threshold: withDefault(
          requiredField(
            described(int, 'Number of new shares that unseal the server, at most secret_shares'),
          ),
          0,
        ),
        pgp_keys: withDefault(
          described(textList, 'Base64 binary PGP public keys, one for each share'),
          [],
        ),
        backup: flag('Whether the PGP-encrypted shares are stored'),
        require_verification: flag(
          'Whether the new shares take effect only after they were verified',
        ),
      },
      failures: [500],
      reply: statusReply,
      run({ world, fields }) {
        // A stored-key seal always has one key, so the numbers in the request are ignored.
        const isStored = key === 'root' && sealKind(world) === 'stored'
        const settings = {
          shares: isStored ? 1 : fields.secret_shares,
          threshold: isStored ? 1 : fields.secret_threshold,
          pgpKeys: fields.pgp_keys,
          backup: fields.backup,
          verification: fields.require_verification,
          recovery: key === 'recovery',
        }
        checkRotationRequest(world, key, { ...settings, storedShares: undefined })
        return defer(
          () =>
            readPgpKeys(fields.pgp_keys, (problem) => rotationRefusal(key, refuseSetting(problem))),
          (keys) => {
            const pgpFingerprints = keys.map(({ fingerprint }) => fingerprint)
            withRotationWording(key, () => startRekey(world, { ...settings, pgpFingerprints }))
            return statusOutcome(world, key)
          },
        )
      },
    }),
    operation.delete(`cancel${name}`, `${path}/init`, {
      summary: 'Cancel the rotation; the shares stay as they are.',
      apply({ world }) {
        if (isRotating(world, key)) cancelRekey(world)
      },
    }),
    operation.write(`update${name}`, `${path}/update`, {
      secrets: { body: ['key'], reply: ['data/keys/**', 'data/keys_base64/**'] },
      summary: `Enter one of the current ${shares}.`,
      body: shareFields('A key share', 'rotation'),
      failures: [500],
      reply: { 200: envelopeOf(union(statusShape, completionSchema)) },
      run({ world, fields }) {
        checkRotationShare(fields)
        requireRotation(world, key, 'rotation-not-under-way')
        const step = withRotationWording(key, () =>
          submitRekeyShare(world, fields.key, fields.nonce),
        )
        // The request is refused, but the submitted shares must still be removed.
        if (step.state === 'failed') throw rotationRefusal(key, step.refusal).commitWrites()
        if (step.state === 'started') return statusOutcome(world, key)
        const { result } = step
        return defer(
          async () => deliverShares(result.shares, await readPgpKeys(result.settings.pgpKeys)),
          (delivered) =>
            dataOutcome({ verification_nonce: '', ...completion(world, result, delivered) }),
        )
      },
    }),
    operation.read(`read${name}Verification`, `${path}/verify`, {
      summary: 'Read the verification of the new shares.',
      reply: verificationReply,
      run({ world }) {
        requireRotation(world, key, 'rotation-not-configured')
        return dataOutcome(verificationStatus(world))
      },
    }),
    operation.write(`update${name}Verification`, `${path}/verify`, {
      secrets: { body: ['key'] },
      summary: 'Enter one of the new shares.',
      body: shareFields('A new share', 'verification'),
      reply: { 200: envelopeOf(union(verificationSchema, verifiedSchema)) },
      failures: [500],
      run({ world, fields }) {
        checkRotationShare(fields)
        requireRotation(world, key, 'rotation-not-under-way')
        const step = withRotationWording(key, () => submitNewShare(world, fields.key, fields.nonce))
        // The request is refused, but the submitted shares must still be removed.
        if (step.state === 'failed') throw rotationRefusal(key, step.refusal).commitWrites()
        if (step.state === 'verification') return dataOutcome(verificationStatus(world))
        return dataOutcome({ complete: true, nonce: step.nonce })
      },
    }),
    operation.delete(`restart${name}Verification`, `${path}/verify`, {
      summary: 'Begin the verification anew, with another nonce.',
      reply: verificationReply,
      run({ world }) {
        requireRotation(world, key, 'rotation-not-configured')
        restartVerification(world)
        return dataOutcome(verificationStatus(world))
      },
    }),
    operation.read(`read${name}Backup`, `${path}/backup`, {
      summary: 'Read the backup of PGP-encrypted shares.',
      reply: enveloped({ nonce: text, keys: map(any), keys_base64: map(any) }),
      run: ({ world }) => ({ kind: 'envelope', data: backupData(world), repeatsKeys: true }),
    }),
    operation.delete(`delete${name}Backup`, `${path}/backup`, {
      summary: 'Delete the backup of PGP-encrypted shares.',
      apply: ({ world }) => deleteRekeyBackup(world),
    }),
  ]
}

/**
 * Operations that replace the root key, the key shares or the recovery shares. The operations
 * require a token. Replacing the root key has no visible effect.
 */
export const rotateOperations: readonly SecretsOperation[] = [
  operation.write('rotateRoot', 'rotate/root', {
    summary: 'Replace the root key; the shares stay valid.',
    access: 'sudo',
    apply: () => undefined,
  }),
  ...rotationOperations('root'),
  ...rotationOperations('recovery'),
]
