import { meanwhile } from '../../../state/kernel/meanwhile.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  cancelGeneration,
  type GenerationStatus,
  generationStatus,
  submitGenerationShare,
  unmaskToken,
} from '../../../state/secrets/replication/operation-token-attempts.ts'
import { operationTokenLength } from '../../../state/secrets/replication/operation-tokens.ts'
import { bare, data, empty, type Outcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { needed } from '../fields/forms.ts'
import { operation } from '../operation.ts'
import { shareFields, upperCaseNames } from './key-shares.ts'
import { disguised } from './operation-tokens.ts'
import { rootAttemptSchema, startAttempt, startFields } from './token-attempts.ts'

const spec = 'behaviour/secrets#root-generation'

/** Key shares prove who may do this, not a client token, in either dialect. */
const byShares = { access: 'anyone', bare: true, rootOnly: true } as const

/** Generating root tokens from key shares, and reading what that hands out. */
export const generateRootOperations = [
  operation({
    id: 'readRootTokenAttempt',
    verb: 'read',
    path: 'generate-root/attempt',
    summary: 'Reads the generation of a root token.',
    spec,
    ...byShares,
    reply: { 200: rootAttemptSchema },
    run: ({ world }) => attempt(world),
  }),
  operation({
    id: 'startRootToken',
    secrets: { body: ['otp'], reply: ['otp'] },
    verb: 'write',
    path: 'generate-root/attempt',
    summary: 'Starts to generate a root token.',
    spec,
    ...byShares,
    strict: { struct: 'GenerateRootInitRequest', optional: true },
    body: startFields,
    reply: { 200: rootAttemptSchema },
    run: ({ world, fields }) => startAttempt(world, fields, 'root', (otp) => attempt(world, otp)),
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
    secrets: { body: ['key', 'otp'], reply: ['encoded_token', 'encoded_root_token'] },
    verb: 'write',
    path: 'generate-root/update',
    summary: 'Hands in one key share for a root token.',
    spec,
    ...byShares,
    anyVerb: true,
    strict: { struct: 'GenerateRootUpdateRequest', optional: false, names: upperCaseNames },
    body: shareFields('A key share', 'attempt'),
    reply: { 200: rootAttemptSchema },
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
    secrets: { body: ['encoded_token', 'otp'], reply: ['data/token', 'token'] },
    verb: 'write',
    path: 'decode-token',
    summary: 'Decodes a generated token by its one-time password.',
    spec,
    access: 'anyone',
    body: {
      encoded_token: byDefault(needed(described(text, 'The token as it was handed out')), ''),
      otp: byDefault(needed(described(text, 'The one-time password')), ''),
    },
    failures: [500],
    reply: {
      200: envelopeOf(
        struct({
          token: text,
        }),
      ),
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
