import { any, int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { combineCrls, signListedCrl } from '../../../state/secrets/pki/signed-crls/signed-crls.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { unsplitTexts } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-signed-crls' })

const fields = {
  crl_number: withDefault(described(int, 'Number of the CRL'), 0),
  delta_crl_base_number: withDefault(
    described(int, 'Number of the complete CRL, for a delta CRL; -1 for a complete CRL'),
    -1,
  ),
  next_update: withDefault(described(text, 'Validity of the CRL'), '72h'),
  format: withDefault(described(text, '`pem` or `der`'), 'pem'),
} as const

const reply = enveloped({ crl: text })

/** Operations that sign a CRL whose contents come from the request, and that store nothing. */
export const signedCrlOperations = [
  operation.write('pkiCombineCrls', 'issuer/:issuer_ref/resign-crls', {
    summary: 'Sign a CRL with the entries of other CRLs of the issuer.',
    body: { ...fields, crls: withDefault(unsplitTexts('CRLs of the issuer in PEM'), []) },
    reply,
    run({ world, mount, params, fields: request }) {
      const { crl, warnings } = combineCrls(world, mount, params.issuer_ref, request)
      return { kind: 'envelope', data: { crl }, warnings }
    },
  }),
  operation.write('pkiSignCrl', 'issuer/:issuer_ref/sign-revocation-list', {
    summary: 'Sign a CRL with the revoked certificates that the request lists.',
    body: {
      ...fields,
      revoked_certs: withDefault(
        described(
          list(any),
          'Revoked certificates: `serial_number`, `revocation_time`, `extensions`',
        ),
        [],
      ),
      extensions: withDefault(
        described(list(any), 'Extensions of the CRL: `id`, `critical`, `value` (base64)'),
        [],
      ),
    },
    reply,
    run: ({ world, mount, params, fields: request }) =>
      dataOutcome({ crl: signListedCrl(world, mount, params.issuer_ref, request) }),
  }),
]
