import { int, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { keyStatus, rotateKey } from '../../../state/secrets/seal/keyring.ts'
import { stepDown } from '../../../state/secrets/seal/node.ts'
import { empty } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'

const spec = 'behaviour/secrets#key-status'

/** The encryption key, and giving up leadership. */
export const keyOperations = [
  operation({
    id: 'readKeyStatus',
    verb: 'read',
    path: 'key-status',
    summary: 'Read which encryption key is in use.',
    spec,
    reply: {
      200: envelopeOf(
        struct({
          term: int,
          install_time: text,
          encryptions: int,
        }),
      ),
    },
    run: ({ world }) => ({ kind: 'envelope', data: keyStatus(world), repeat: true }),
  }),
  operation({
    id: 'rotateKey',
    verb: 'write',
    path: 'rotate',
    summary: 'Install a new encryption key.',
    spec,
    access: 'sudo',
    reply: { 204: null },
    run({ world }) {
      rotateKey(world)
      return empty
    },
  }),
  operation({
    id: 'stepDown',
    verb: 'write',
    path: 'step-down',
    summary: 'Give up leadership.',
    spec,
    verbFirst: true,
    access: 'sudo',
    reply: { 204: null },
    run({ world }) {
      stepDown(world)
      return empty
    },
  }),
]
