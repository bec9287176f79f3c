import { meanwhile } from '../../../state/kernel/meanwhile.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described } from '../../../state/kernel/shape/members.ts'
import type { Said } from '../../../state/kernel/wording.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  cancelGeneration,
  checkGenerates,
  checkOtp,
  type GenerationStatus,
  generationStatus,
  newOtp,
  startGeneration,
  submitGenerationShare,
  unmaskToken,
} from '../../../state/secrets/replication/operation-token-attempts.ts'
import { operationTokenLength } from '../../../state/secrets/replication/operation-tokens.ts'
import { bare, data, empty, type Outcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { needed } from '../fields/forms.ts'
import { operation } from '../operation.ts'
import { refuse } from '../texts.ts'
import { shareFields, upperCaseNames } from './key-shares.ts'
import { disguised } from './operation-tokens.ts'
import { readPgpKey } from './pgp.ts'

const spec = '1b-secrets-more-decisions.md section 4'

/** Key shares prove who may do this, not a client token, in either dialect. */
const byShares = { access: 'anyone', bare: true, rootOnly: true } as const

const attemptSchema = {
  type: 'object',
  required: [
    'nonce',
    'started',
    'progress',
    'required',
    'complete',
    'encoded_token',
    'encoded_root_token',
    'pgp_fingerprint',
    'otp',
    'otp_length',
  ],
  additionalProperties: false,
  properties: {
    nonce: { type: 'string' },
    started: { type: 'boolean' },
    progress: { type: 'integer', description: 'Shares handed in so far' },
    required: { type: 'integer', description: 'Shares it takes' },
    complete: { type: 'boolean' },
    encoded_token: { type: 'string', description: 'Once complete' },
    encoded_root_token: { type: 'string', description: 'Old name of encoded_token' },
    pgp_fingerprint: { type: 'string', description: 'Empty without a PGP key' },
    otp: { type: 'string', description: 'A generated one-time password, told only at the start' },
    otp_length: { type: 'integer', description: 'Length of a root token' },
  },
} as const

/** Generating root tokens from key shares, and reading what that hands out. */
export const generateRootOperations = [
  operation({
    id: 'readRootTokenAttempt',
    verb: 'read',
    path: 'generate-root/attempt',
    summary: 'Reads the generation of a root token.',
    spec,
    ...byShares,
    reply: { 200: attemptSchema },
    run: ({ world }) => attempt(world),
  }),
  operation({
    id: 'startRootToken',
    verb: 'write',
    path: 'generate-root/attempt',
    summary: 'Starts to generate a root token.',
    spec,
    ...byShares,
    strict: { struct: 'GenerateRootInitRequest', optional: true },
    body: {
      pgp_key: byDefault(described(text, 'Base64 binary PGP public key to encrypt the token'), ''),
      otp: byDefault(described(text, 'A one-time password of the caller, as long as a token'), ''),
    },
    reply: { 200: attemptSchema },
    run({ world, fields: { pgp_key, otp } }) {
      checkGenerates(world, 'root')
      if (otp !== '') {
        checkOtp(world, otp)
        startGeneration(world, { otp }, 'root')
        return attempt(world)
      }
      if (pgp_key === '') {
        const made = newOtp(world)
        startGeneration(world, { otp: made }, 'root')
        return attempt(world, made)
      }
      const faulty = (reason: Said) => refuse('generation-pgp-key', { reason })
      return meanwhile(
        () => readPgpKey(pgp_key, faulty),
        ({ fingerprint }) => {
          startGeneration(world, { pgpKey: pgp_key, fingerprint }, 'root')
          return attempt(world)
        },
      )
    },
  }),
  operation({
    id: 'cancelRootToken',
    verb: 'delete',
    path: 'generate-root/attempt',
    summary: 'Cancels the generation of a root token.',
    spec,
    ...byShares,
    reply: { 204: null },
    run({ world }) {
      cancelGeneration(world, 'root')
      return empty
    },
  }),
  operation({
    id: 'updateRootToken',
    verb: 'write',
    path: 'generate-root/update',
    summary: 'Hands in one key share for a root token.',
    spec,
    ...byShares,
    anyVerb: true,
    strict: { struct: 'GenerateRootUpdateRequest', optional: false, names: upperCaseNames },
    body: shareFields('A key share', 'attempt'),
    reply: { 200: attemptSchema },
    run({ world, fields }) {
      const step = submitGenerationShare(world, fields.key, fields.nonce, 'root')
      // The dropped shares stay dropped.
      if (step.state === 'failed') throw step.fault.keeping()
      if (step.state === 'started') return told(world, step.status)
      return meanwhile(
        () => disguised(step.token, step.disguise),
        (encoded) => told(world, step.status, { encoded, complete: true }),
      )
    },
  }),
  operation({
    id: 'decodeToken',
    verb: 'write',
    path: 'decode-token',
    summary: 'Decodes a generated token by its one-time password.',
    spec,
    access: 'anyone',
    body: {
      encoded_token: byDefault(needed(described(text, 'The token as it was handed out')), ''),
      otp: byDefault(needed(described(text, 'The one-time password')), ''),
    },
    reply: {
      200: envelopeOf({
        type: 'object',
        required: ['token'],
        additionalProperties: false,
        properties: { token: { type: 'string' } },
      }),
    },
    run: ({ fields: { encoded_token, otp } }) => data({ token: unmaskToken(encoded_token, otp) }),
  }),
]

/** The generation as `attempt` tells it; a generated one-time password goes out once. */
function attempt(world: World, otp = ''): Outcome {
  return told(world, generationStatus(world, 'root'), { otp })
}

interface Told {
  readonly otp?: string
  readonly encoded?: string
  readonly complete?: boolean
}

function told(
  world: World,
  { nonce, started, progress, required, pgp_fingerprint }: GenerationStatus,
  { otp = '', encoded = '', complete = false }: Told = {},
): Outcome {
  return bare({
    nonce,
    started,
    progress,
    required,
    complete,
    encoded_token: encoded,
    encoded_root_token: encoded,
    pgp_fingerprint,
    otp,
    otp_length: operationTokenLength(world),
  })
}
