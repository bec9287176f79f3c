import { bool, int, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import {
  changeCrlConfig,
  currentCrl,
  currentDeltaCrl,
  rebuildCrls,
  rebuildDeltaCrls,
} from '../../../state/secrets/pki/crl.ts'
import {
  crlConfig,
  crlConfigMembers,
  type PkiCrlConfig,
} from '../../../state/secrets/pki/crl-config.ts'
import { message, refuse } from '../../../state/secrets/pki/messages.ts'
import { revokeCertificate, revokedSerials } from '../../../state/secrets/pki/revocation.ts'
import { toPem } from '../../../state/secrets/pki/signing.ts'
import { findIssuer } from '../../../state/secrets/pki/tables.ts'
import {
  dataOutcome,
  keysOutcome,
  outcomeWithWarning,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { enveloped, keysEnvelope, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import { crlTypes, openIssuer, rawCrl, rawReply } from './certificates.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-revocation' })
const crlOperation = operationsOf({ spec: 'behaviour/secrets#pki-crl' })
const openOperation = operationsOf({ spec: 'behaviour/secrets#pki-crl', access: 'anyone' })

/**
 * The kinds of CRLs. `suffix` distinguishes operation ids, `path` is the end of the URL path, and
 * `current` returns the current CRL.
 */
const crlKinds = [
  { suffix: '', path: 'crl', current: currentCrl, name: 'CRL' },
  { suffix: 'Delta', path: 'crl/delta', current: currentDeltaCrl, name: 'delta CRL' },
] as const

const revokeReply = {
  200: union(
    structEnvelope({ revocation_time: int, revocation_time_rfc3339: text, state: text }),
    warningEnvelope,
  ),
} as const

const revokeFields = {
  serial_number: textField('Serial number of the certificate, with colons or hyphens'),
  certificate: textField('Certificate in PEM, instead of the serial number'),
} as const

/**
 * Returns the reply to a revocation. An expired certificate cannot be revoked; the reply then
 * contains a warning.
 */
function revokedOutcome({ serial, revokedAt }: ReturnType<typeof revokeCertificate>) {
  if (revokedAt === undefined) return outcomeWithWarning(message('pki-revoke-expired', { serial }))
  return dataOutcome({
    revocation_time: Math.floor(revokedAt / 1000),
    revocation_time_rfc3339: formatTimestamp(revokedAt),
    state: 'revoked',
  })
}

const crlFields = {
  auto_rebuild: described(
    bool,
    'Whether CRLs are rebuilt at certain times instead of at each revocation',
  ),
  auto_rebuild_grace_period: described(text, 'Time before the end of a CRL at which it is rebuilt'),
  cross_cluster_revocation: described(bool, 'Stored and returned, but without effect'),
  delta_rebuild_interval: described(text, 'Time between two delta CRLs'),
  disable: described(bool, 'Whether CRLs are empty'),
  enable_delta: described(bool, 'Whether delta CRLs are created'),
  expiry: described(text, 'Validity of a CRL'),
  ocsp_disable: described(bool, 'Whether OCSP requests are refused'),
  ocsp_expiry: described(text, 'Validity of an OCSP reply'),
  unified_crl: described(bool, 'Stored and returned, but without effect'),
  unified_crl_on_existing_paths: described(bool, 'Stored and returned, but without effect'),
} as const

const crlReply = enveloped(crlConfigMembers)

function crlView({ wal: _wal, ...view }: PkiCrlConfig): SecretsOutcome {
  return dataOutcome(view)
}

/**
 * Operations that revoke certificates, list revoked certificates, and rebuild, read and configure
 * CRLs.
 */
export const revocationOperations = [
  operation.write('pkiRevoke', 'revoke', {
    summary: 'Revoke a certificate.',
    body: revokeFields,
    failures: [500],
    reply: revokeReply,
    run: ({ world, mount, fields }) => revokedOutcome(revokeCertificate(world, mount, fields)),
  }),
  operation.write('pkiRevokeWithKey', 'revoke-with-key', {
    summary: 'Revoke a certificate of which the caller has the private key.',
    body: { ...revokeFields, private_key: textField('Private key in PEM') },
    secrets: { body: ['private_key'] },
    failures: [500],
    reply: revokeReply,
    run: ({ world, mount, fields }) =>
      revokedOutcome(revokeCertificate(world, mount, fields, fields.private_key)),
  }),
  operation.list('pkiListRevoked', 'certs/revoked', {
    summary: 'List the serials of the revoked certificates.',
    reply: { 200: keysEnvelope },
    run: ({ world, mount }) => keysOutcome(revokedSerials(world, mount)),
  }),
  crlOperation.read('pkiRotateDeltaCrl', 'crl/rotate-delta', {
    summary: 'Rebuild the delta CRLs of all issuers.',
    reply: enveloped({ success: bool }),
    run({ world, mount }) {
      const isOn = crlConfig(world, mount).enable_delta
      if (isOn) rebuildDeltaCrls(world, mount)
      const warnings = isOn ? [] : [message('pki-delta-off')]
      return { kind: 'envelope', data: { success: true }, warnings }
    },
  }),
  crlOperation.read('pkiRotateCrl', 'crl/rotate', {
    summary: 'Rebuild the CRLs of all issuers.',
    reply: enveloped({ success: bool }),
    run({ world, mount }) {
      rebuildCrls(world, mount)
      return dataOutcome({ success: true })
    },
  }),
  crlOperation.read('pkiReadCrlConfig', 'config/crl', {
    summary: 'Read the settings of CRLs and OCSP.',
    reply: crlReply,
    run: ({ world, mount }) => crlView(crlConfig(world, mount)),
  }),
  crlOperation.write('pkiWriteCrlConfig', 'config/crl', {
    summary: 'Change the given settings of CRLs and OCSP.',
    body: crlFields,
    reply: crlReply,
    run: ({ world, mount, fields }) => crlView(changeCrlConfig(world, mount, fields)),
  }),
  ...crlKinds.flatMap(crlReads),
]

/**
 * Returns the operations that read a kind of CRL. Some read the CRL of the default issuer, others
 * that of the issuer in the path.
 */
function crlReads({ suffix, path, current, name }: (typeof crlKinds)[number]) {
  const defaultIssuerOutcome = (world: World, mount: Mount, form: 'der' | 'pem') => {
    const issuer = findIssuer(world, mount, 'default')
    return rawCrl(issuer && current(world, mount, issuer), form)
  }
  const derOfIssuer = (world: World, mount: Mount, ref: string) => {
    const issuer = openIssuer(world, mount, ref)
    const der = current(world, mount, issuer)
    if (der === undefined) throw refuse('pki-crl-absent', { id: issuer.id, ref })
    return der
  }
  const issuerOutcome = (world: World, mount: Mount, ref: string, form: 'der' | 'pem') =>
    rawCrl(derOfIssuer(world, mount, ref), form)
  return [
    openOperation.read(`pkiRead${suffix}Crl`, path, {
      summary: `Read the ${name} of the default issuer as DER.`,
      mediaType: crlTypes.der,
      reply: rawReply,
      run: ({ world, mount }) => defaultIssuerOutcome(world, mount, 'der'),
    }),
    openOperation.read(`pkiRead${suffix}CrlPem`, `${path}/pem` as const, {
      summary: `Read the ${name} of the default issuer as PEM.`,
      mediaType: crlTypes.pem,
      reply: rawReply,
      run: ({ world, mount }) => defaultIssuerOutcome(world, mount, 'pem'),
    }),
    openOperation.read(`pkiReadIssuer${suffix}Crl`, `issuer/:issuer_ref/${path}` as const, {
      summary: `Read the ${name} of an issuer.`,
      failures: [500],
      reply: enveloped({ crl: text }),
      run: ({ world, mount, params }) =>
        dataOutcome({
          crl: `${toPem('X509 CRL', derOfIssuer(world, mount, params.issuer_ref))}\n`,
        }),
    }),
    openOperation.read(`pkiReadIssuer${suffix}CrlDer`, `issuer/:issuer_ref/${path}/der` as const, {
      summary: `Read the ${name} of an issuer as DER.`,
      mediaType: crlTypes.der,
      failures: [500],
      reply: rawReply,
      run: ({ world, mount, params }) => issuerOutcome(world, mount, params.issuer_ref, 'der'),
    }),
    openOperation.read(`pkiReadIssuer${suffix}CrlPem`, `issuer/:issuer_ref/${path}/pem` as const, {
      summary: `Read the ${name} of an issuer as PEM.`,
      mediaType: crlTypes.pem,
      failures: [500],
      reply: rawReply,
      run: ({ world, mount, params }) => issuerOutcome(world, mount, params.issuer_ref, 'pem'),
    }),
  ]
}
