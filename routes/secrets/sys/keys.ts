import { keyStatus, rotateKey } from '../../../state/secrets/seal/keyring.ts'
import { stepDown } from '../../../state/secrets/seal/node.ts'
import { empty } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { envelopeOf } from '../schemas.ts'

const path = pathsOf('1-secrets-decisions.md section 3, sys/key-status, rotate, step-down')

/** The encryption key, and giving up leadership. */
export const keyPaths = [
  path('key-status', {
    read: {
      summary: 'Read which encryption key is in use.',
      reply: {
        200: envelopeOf({
          type: 'object',
          required: ['term', 'install_time', 'encryptions'],
          additionalProperties: false,
          properties: {
            term: { type: 'integer' },
            install_time: { type: 'string' },
            encryptions: { type: 'integer' },
          },
        }),
      },
      run: ({ world }) => ({ kind: 'envelope', data: keyStatus(world), repeat: true }),
    },
  }),
  path('rotate', {
    write: {
      summary: 'Install a new encryption key.',
      sudo: true,
      reply: { 204: null },
      run({ world }) {
        rotateKey(world)
        return empty
      },
    },
  }),
  path('step-down', {
    write: {
      summary: 'Give up leadership.',
      sudo: true,
      reply: { 204: null },
      run({ world }) {
        stepDown(world)
        return empty
      },
    },
  }),
]
