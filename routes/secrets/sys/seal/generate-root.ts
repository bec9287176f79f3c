import { text } from '../../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  type GenerationStatus,
  generationStatus,
  unmaskToken,
} from '../../../../state/secrets/replication/operation-token-attempts.ts'
import { operationTokenLength } from '../../../../state/secrets/replication/operation-tokens.ts'
import { bareOutcome, dataOutcome, type SecretsOutcome } from '../../envelope/outcome.ts'
import { enveloped } from '../../envelope/schemas.ts'
import { requiredText } from '../../fields/field-kinds.ts'
import { operationsOf } from '../../operation.ts'
import { generationOperations, rootAttemptSchema } from './token-attempts.ts'

const spec = 'behaviour/secrets#root-generation'
const operation = operationsOf({ spec })

/** Operations that generate root tokens from key shares, and that decode root tokens. */
export const generateRootOperations = [
  ...generationOperations({
    kind: 'root',
    path: 'generate-root',
    name: 'RootToken',
    labels: ['a root token', 'one key share'],
    spec,
    flags: {},
    attemptSchema: rootAttemptSchema,
    attemptOutcome: (world, otp) => renderAttempt(world, generationStatus(world, 'root'), { otp }),
    shareOutcome: (world, status, encoded, complete) =>
      renderAttempt(world, status, { encoded, complete, otpLength: 0 }),
  }),
  operation.write('decodeToken', 'decode-token', {
    secrets: { body: ['encoded_token', 'otp'], reply: ['data/token', 'token'] },
    summary: 'Decode a generated token by its one-time password.',
    access: 'anyone',
    body: {
      encoded_token: requiredText('The encoded token, as it was returned'),
      otp: requiredText('The one-time password'),
    },
    failures: [500],
    reply: enveloped({ token: text }),
    run: ({ fields: { encoded_token, otp } }) =>
      dataOutcome({ token: unmaskToken(encoded_token, otp) }),
  }),
]

/** Members of a reply that the status of the attempt does not contain. */
interface AttemptExtras {
  readonly otp?: string | undefined
  readonly encoded?: string
  readonly complete?: boolean
  readonly otpLength?: number
}

function renderAttempt(
  world: World,
  { nonce, started, progress, required, pgp_fingerprint }: GenerationStatus,
  {
    otp = '',
    encoded = '',
    complete = false,
    otpLength = operationTokenLength(world),
  }: AttemptExtras = {},
): SecretsOutcome {
  return bareOutcome({
    nonce,
    started,
    progress,
    required,
    complete,
    encoded_token: encoded,
    encoded_root_token: encoded,
    pgp_fingerprint,
    otp,
    otp_length: otpLength,
  })
}
