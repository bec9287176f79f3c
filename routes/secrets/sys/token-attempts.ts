import { type Meanwhile, meanwhile } from '../../../state/kernel/meanwhile.ts'
import { bool, int, text } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { Said } from '../../../state/kernel/wording.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  checkGenerates,
  checkOtp,
  newOtp,
  startGeneration,
} from '../../../state/secrets/replication/operation-token-attempts.ts'
import type { Outcome } from '../envelope/outcome.ts'
import { refuse } from '../texts.ts'
import { readPgpKey } from './pgp.ts'

const encodedRootToken = described(text, 'Old name of encoded_token')
const otp = described(text, 'A generated one-time password, told only at the start')
const otpLength = described(int, 'Length of a token')

/** The members that the generation of a token always tells. */
const members = {
  started: bool,
  nonce: text,
  progress: described(int, 'Shares handed in so far'),
  required: described(int, 'Shares it takes'),
  encoded_token: described(text, 'Once complete'),
  pgp_fingerprint: described(text, 'Empty without a PGP key'),
  complete: bool,
}

/** The generation of a root token. */
export const rootAttemptSchema = struct({
  ...members,
  encoded_root_token: encodedRootToken,
  otp,
  otp_length: otpLength,
})

/** The generation of a DR operation token; some members are the vendor's alone. */
export const operationAttemptSchema = struct({
  ...members,
  encoded_root_token: optional(described(encodedRootToken, 'Always empty; vendor only')),
  otp: optional(otp),
  otp_length: optional(otpLength),
})

/** The fields of a call that starts to generate a token. */
export const startFields = {
  pgp_key: byDefault(described(text, 'Base64 binary PGP public key to encrypt the token'), ''),
  otp: byDefault(described(text, 'A one-time password of the caller, as long as a token'), ''),
}

/**
 * Starts to generate a token, which will go out encrypted or masked.
 *
 * @param answer what is told of the attempt, with the one-time password where one was made
 */
export function startAttempt(
  world: World,
  sent: { readonly pgp_key: string; readonly otp: string },
  kind: Parameters<typeof checkGenerates>[1],
  answer: (otp?: string) => Outcome,
): Outcome | Meanwhile<Outcome> {
  checkGenerates(world, kind)
  if (sent.otp !== '') {
    checkOtp(world, sent.otp)
    startGeneration(world, { otp: sent.otp }, kind)
    return answer()
  }
  if (sent.pgp_key === '') {
    const made = newOtp(world)
    startGeneration(world, { otp: made }, kind)
    return answer(made)
  }
  const faulty = (reason: Said) => refuse('generation-pgp-key', { reason })
  return meanwhile(
    () => readPgpKey(sent.pgp_key, faulty),
    ({ fingerprint }) => {
      startGeneration(world, { pgpKey: sent.pgp_key, fingerprint }, kind)
      return answer()
    },
  )
}
