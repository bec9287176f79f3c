import { isBase64 } from '../../../state/go/base64.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { answerOcsp } from '../../../state/secrets/pki/ocsp.ts'
import { ocspRequestType } from '../dispatch/request.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { operationsOf } from '../operation.ts'

const openOperation = operationsOf({ spec: 'behaviour/secrets#pki-ocsp', access: 'anyone' })

const contentType = 'application/ocsp-response'

const reply = {
  200: { type: 'string' },
  400: { type: 'string' },
  401: { type: 'string' },
} as const

function answer(world: World, mount: Mount, base64: string): SecretsOutcome {
  const der = Buffer.from(isBase64(base64) ? base64 : '', 'base64')
  return { kind: 'bytes', contentType, ...answerOcsp(world, mount, der) }
}

export const ocspOperations = [
  openOperation.write('pkiPostOcsp', 'ocsp', {
    summary: 'Return the status of a certificate for an OCSP request as DER.',
    binaryBody: ocspRequestType,
    mediaType: contentType,
    reply,
    // The body is DER, which the dispatcher passes as base64 in the member `req`.
    run: ({ world, mount, input }) => answer(world, mount, String(input['req'] ?? '')),
  }),
  openOperation.read('pkiGetOcsp', 'ocsp/*req', {
    summary: 'Return the status of a certificate for an OCSP request in the path.',
    mediaType: contentType,
    reply,
    run: ({ world, mount, params }) => answer(world, mount, params.req),
  }),
]
