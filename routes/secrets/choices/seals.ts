import type { Choice } from '../../http/coverage.ts'

const rekey = 'behaviour/secrets#rekey'
const operationTokens = 'behaviour/secrets#operation-tokens'
const storedKeys = 'behaviour/secrets#api-rekey'

/** Choices about key shares: rekeying, stored-key seals, DR operation tokens. */
export const sealChoices: readonly Choice[] = [
  {
    id: 'rekey-ends-with-term',
    about:
      'A rekey under way when the node seals, steps down, becomes a standby or the cluster is demoted.',
    choice: 'It ends, as in the reference; the valid shares stay, the backup too.',
    evidence: 'decided here',
    where: rekey,
  },
  {
    id: 'rekey-pushes',
    about: 'What the transitions of secrets.rekey do.',
    choice:
      'They start, hand in shares as those who know them would, begin the verification anew and cancel, without a token. A push tells nobody the new shares: once they are valid they are `unsealKeys` of `/_mock/info`; PGP messages and backups come of `sys/rekey/update` alone.',
    evidence: 'extension',
    where: rekey,
  },
  {
    id: 'rekey-pgp-keys-early',
    about: 'PGP keys of a rekey that can only sign.',
    choice: 'Refused when the rekey starts, with the text of a wrong setting, not when it ends.',
    evidence: 'decided here',
    where: 'behaviour/secrets#pgp',
  },
  {
    id: 'verification-not-begun',
    about: 'GET and DELETE `sys/rekey/verify` while the valid shares are still handed in.',
    choice: 'The status with `started` false and no nonce; DELETE changes nothing.',
    evidence: 'decided here',
    where: 'behaviour/secrets#rekey-verification',
  },
  {
    id: 'verification-unequal-shares',
    about: 'New shares that cannot be put together: of different lengths, or with the same x byte.',
    choice:
      '`failed to compute key for verification: <why>`, which the vendor answers with 500; progress 0 and a new nonce.',
    evidence: 'decided here',
    where: 'behaviour/secrets#rekey-verification',
  },
  {
    id: 'rekey-backup-life',
    about: 'How long a backup of encrypted shares is there, and from when on.',
    choice:
      'From the moment the shares are made, verified or not, until it is deleted or the next rekey with a backup replaces it.',
    evidence: 'decided here',
    where: 'behaviour/secrets#rekey',
  },
  {
    id: 'rekey-backup-same-key',
    about: 'The backup of several shares to the same PGP key.',
    choice: 'The vendor lists them all; neutral, with one text for each fingerprint, the last.',
    evidence: 'decided here',
    where: 'behaviour/secrets#rekey',
  },
  {
    id: 'stored-seal-option',
    about: 'Which seal a cluster has.',
    choice:
      'The one that the option `seal` said when it was initialised; a DR secondary has that of its primary.',
    evidence: 'extension',
    where: storedKeys,
  },
  {
    id: 'stored-seal-type',
    about: 'What a stored-key seal calls itself.',
    choice:
      '`transit` in errors and before it is initialised; then `shamir`, which is the type of its recovery shares.',
    evidence: 'decided here',
    where: 'behaviour/secrets#seal',
  },
  {
    id: 'stored-seal-init',
    about: 'Initialising with a stored-key seal.',
    choice:
      '`recovery_shares`, `recovery_threshold` and `recovery_pgp_keys` only; the answer has `recovery_keys` and `recovery_keys_base64`, and the node is open. Fields of the other kind of seal are refused with `parameters <names> not applicable to seal type <type>`.',
    evidence: 'decided here',
    where: 'behaviour/secrets#seal',
  },
  {
    id: 'stored-seal-sealed',
    about: 'A node with a stored-key seal that is sealed by hand, or begins so by option.',
    choice: 'It stays sealed until recovery shares are handed in at `sys/unseal`.',
    evidence: 'decided here',
    where: 'behaviour/secrets#seal',
  },
  {
    id: 'stored-seal-rekey',
    about: 'What a rekey of a stored-key seal changes.',
    choice: 'Nothing that shows: the stored key is never told, and recovery shares stay valid.',
    evidence: 'decided here',
    where: storedKeys,
  },
  {
    id: 'wrong-recovery-shares',
    about: 'Recovery shares that give the wrong key.',
    choice:
      '`recovery key verification failed: recovery key does not match submitted values`, 400 in both dialects.',
    evidence: 'decided here',
    where: rekey,
  },
  {
    id: 'generation-while-sealed',
    about: 'The generation of a DR operation token under way when the node seals.',
    choice: 'It goes on after unsealing, with what was handed in, as in the reference.',
    evidence: 'decided here',
    where: operationTokens,
  },
  {
    id: 'own-otp',
    about: 'A one-time password of the caller for a DR operation token.',
    choice: 'It is not told back, and goes before a PGP key that is sent with it.',
    evidence: 'decided here',
    where: operationTokens,
  },
  {
    id: 'otp-length-in-updates',
    about: '`otp_length` in the answers to key shares.',
    choice: 'Left out; the vendor sends 0, as the reference does.',
    evidence: 'decided here',
    where: operationTokens,
  },
  {
    id: 'generation-unequal-shares',
    about: 'Key shares for a DR operation token that cannot be put together.',
    choice: '`failed to compute root key: <why>`; progress 0.',
    evidence: 'decided here',
    where: operationTokens,
  },
  {
    id: 'batch-token-deletion',
    about: 'Deleting a DR operation token with a batch token of the primary.',
    choice: '204, and the batch token lives on: it is not for the secondary to end.',
    evidence: 'decided here',
    where: operationTokens,
  },
]
