import { any, map } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { createLoginToken } from '../../../state/secrets/logins/grants.ts'
import { refuse } from '../../../state/secrets/mfa/messages.ts'
import { type MfaCredentials, validateLogin } from '../../../state/secrets/mfa/validation.ts'
import { authOutcome } from '../auth/token-replies.ts'
import { authEnvelope } from '../envelope/schemas.ts'
import { requiredText } from '../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#mfa' })

/**
 * Returns the second factors in a payload. Refuses a value that is neither a list of texts nor
 * null.
 */
function factorsIn(payload: Readonly<Record<string, unknown>>): MfaCredentials {
  const entries = Object.entries(payload).map(([method, value]) => {
    if (value === null) return [method, null] as const
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string')
    if (!isList) throw refuse('mfa-payload-invalid')
    return [method, value as string[]] as const
  })
  return new Map(entries)
}

/** Operation that completes a login with its second factor. */
export const mfaOperations: readonly SecretsOperation[] = [
  operation.write('validateMfa', 'mfa/validate', {
    summary: 'End a login that waits for a second factor.',
    access: 'anyone',
    secrets: {
      body: ['mfa_request_id', 'mfa_payload/*', 'mfa_payload/*/*'],
    },
    body: {
      mfa_request_id: requiredText('Request id in the reply to the login'),
      mfa_payload: described(map(any), 'Codes as lists, by id or name of the method'),
    },
    failures: [403, 500],
    reply: { 200: authEnvelope },
    run({ world, namespace, fields: { mfa_request_id: id, mfa_payload: payload = {} } }) {
      if (id === '') throw refuse('mfa-request-id-missing')
      const grant = validateLogin(world, namespace, id, factorsIn(payload))
      return authOutcome(world, createLoginToken(world, grant))
    },
  }),
]
